package org.apache.spark.sql.headrace

import org.apache.spark.unsafe.types.UTF8String

/** Where a record was read, in words: only needed when it fails, so that it may take its time. */
object Where {
  private val Place = 40
  private val Partitions = (1L << 24) - 1

  /** topic-partition@offset; `topics` has a line for each: the place of its queue, a blank, its name. */
  def text(source: Long, offset: Long, topics: UTF8String): UTF8String = {
    val place = s"${source >> Place} "
    val topic = topics.toString.linesIterator.find(_.startsWith(place)).fold("?")(_.drop(place.length))
    UTF8String.fromString(s"$topic-${source & Partitions}@$offset")
  }
}

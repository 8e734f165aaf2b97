package headrace.model

import org.apache.kafka.common.utils.Utils
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/** The integers to group tasks by.
  *
  * Spark sends a group to the partition its hash falls on. Taken as they are, the buckets 0..n-1 would share some
  * partitions and leave others idle; so bucket b is grouped by an integer that falls on partition b.
  */
object Groups {
  private val SparkHashSeed = 42

  /** The bucket of a key: the partition that Kafka's own partitioner would give it. */
  def bucket(key: Array[Byte], buckets: Int): Int = Utils.toPositive(Utils.murmur2(key)) % buckets

  def of(buckets: Int): Array[Int] = {
    val groups = Array.fill(buckets)(-1)
    var candidate, found = 0
    while (found < buckets) {
      val partition = Math.floorMod(Murmur3_x86_32.hashInt(candidate, SparkHashSeed), buckets)
      if (groups(partition) < 0) { groups(partition) = candidate; found += 1 }
      candidate += 1
    }
    groups
  }
}

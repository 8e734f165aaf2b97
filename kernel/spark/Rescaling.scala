package org.apache.spark.sql.headrace

import java.nio.ByteBuffer
import java.util.{Arrays, Base64, UUID}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import headrace.model.{Bytes, Groups, KeyForm, MoveBy, TimeAt}
import headrace.operators.Suppress
import headrace.stores.Cell
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution
import org.apache.spark.sql.execution.streaming.state._

/** The state of one stage on its way to another number of tasks.
  *
  * The cells of the old tasks are read as they were after a batch, and put into stores that are made beside them. Nobody
  * else works on either.
  *
  * @param operator the number of the stage among Spark's stateful operators
  * @param version  the state after the last batch has this one, before and afterwards
  * @param ids      what the last batch called the state of each old task
  * @param tasks    how many there will be
  */
final class Rescaling(
    session: SparkSession, from: String, to: String, operator: Long, version: Long, ids: java.util.List[String], tasks: Int)
    extends AutoCloseable {
  import Rescaling._

  private var moved = 0L
  private var opened = List.empty[(StateStoreProvider, Rocks)]
  private val old = ids.asScala.toIndexedSeq.zipWithIndex.map { case (id, task) =>
    open(from, task)(_.getStore(version, Some(id), forceSnapshotOnCommit = false, loadEmpty = false))
  }
  private lazy val made = IndexedSeq.tabulate(tasks) { task =>
    open(to, task)(_.getStore(version - 1, None, forceSnapshotOnCommit = true, loadEmpty = true))
  }

  /** The names of all cells that a task has, for each old task. */
  def families: String = written(root => old.foreach(store => familiesOf(store).foreach(root.withArray("/names").add)))

  /** All cells of a name that the old tasks have, or the new ones: by tasks, keys and values in turn. */
  def cells(family: String, isNew: Boolean): String = written { root =>
    (if (isNew) made else old).foreach { store =>
      val cells = root.withArray("/tasks").addArray()
      if (familiesOf(store).contains(family)) store.dbInstance().iterator(family).foreach { pair =>
        cells.add(text(pair.key)).add(text(pair.value))
      }
    }
  }

  /** Put the cells of all old tasks where they belong now, as `plan` says of each name: how many came to one.
    *
    * If it cannot be told of one, or two are at one place, nothing is to be done with what was made: the answer says which.
    */
  def move(plan: String): String = {
    val moves = new ObjectMapper().readTree(plan).properties.asScala.map(one => one.getKey -> Move.of(one.getValue)).toMap
    moved = 0
    val trouble = old.iterator.zipWithIndex.flatMap { case (store, task) =>
      familiesOf(store).iterator.filter(moves.contains).flatMap { family =>
        val cells = store.dbInstance().iterator(family).map(pair => new Cell(pair.key, pair.value))
        cells.flatMap(put(family, moves(family), task, _))
      }
    }.nextOption()
    trouble.getOrElse(written(_.put("moved", moved)))
  }

  /** Put a cell into a new task. */
  def put(family: String, task: Int, key: Array[Byte], value: Array[Byte]): Unit = into(task, family).put(key, value, family)

  /** Put cells into new tasks: of each its task, then its key and its value with their sizes in front. */
  def fill(family: String, cells: Array[Byte]): Unit = {
    val rest = ByteBuffer.wrap(cells)
    def part(): Array[Byte] = {
      val found = new Array[Byte](rest.getInt)
      rest.get(found)
      found
    }
    while (rest.hasRemaining) into(rest.getInt, family).put(part(), part(), family)
  }

  /** How many results a suppression holds back in each new task, and their bytes, in turn. */
  def heldBack(family: String): String = written { root =>
    made.foreach { store =>
      val cells = if (!familiesOf(store).contains(family)) Iterator.empty else store.dbInstance().iterator(family)
      val sizes = cells.map(pair => Suppress.sizeOf(new Cell(pair.key, pair.value))).filter(_ >= 0).toSeq
      root.withArray("/tasks").addArray().add(sizes.length.toLong).add(sizes.map(_.toLong).sum)
    }
  }

  /** Write the new stores, and say what they are called. */
  def commit(): java.util.List[String] = made.map { store =>
    store.commit()
    store.getStateStoreCheckpointInfo().stateStoreCkptId.get
  }.asJava

  override def close(): Unit = opened.foreach { case (provider, store) =>
    if (!store.hasCommitted) store.abort()
    provider.close()
  }

  /** Put a cell where it belongs now; why it cannot be, if so. */
  private def put(family: String, move: Move, task: Int, cell: Cell): Option[String] =
    if (move.isOver(task, cell)) None
    else if (!move.belongs(task, cell, old.length)) Some(refused(family, move, task, cell, "elsewhere"))
    else {
      val chosen = move.tasks(task, cell, tasks)
      if (chosen.nonEmpty) moved += 1
      chosen.flatMap { one =>
        val db = into(one, family)
        if (move.meets && db.get(cell.key, family) != null) Some(refused(family, move, task, cell, "twice"))
        else {
          db.put(cell.key, cell.value, family)
          None
        }
      }.headOption
    }

  private def into(task: Int, family: String): RocksDB = {
    val db = made(task).dbInstance()
    if (!db.checkColFamilyExists(family)) db.createColFamilyIfAbsent(family, isInternal = false)
    db
  }

  private def refused(family: String, move: Move, task: Int, cell: Cell, why: String): String = written(
    _.put("refused", why).put("family", family).put("task", task).put("key", text(move.key(cell.key))))

  private def open(place: String, task: Int)(load: StateStoreProvider => StateStore): Rocks = {
    val conf = new Configuration(session.sessionState.newHadoopConf())
    conf.set(StreamExecution.RUN_ID_KEY, UUID.randomUUID.toString)
    val id = StateStoreProviderId(StateStoreId(s"$place/state", operator, task), UUID.randomUUID)
    val provider = StateStoreProvider.createAndInit(
      id, StageExec.schema, StageExec.schema, NoPrefixKeyStateEncoderSpec(StageExec.schema), useColumnFamilies = true,
      new StateStoreConf(session.sessionState.conf), conf, useMultipleValuesPerKey = false, stateSchemaProvider = None)
    val store = load(provider).asInstanceOf[Rocks]
    opened = (provider, store) :: opened
    store
  }
}

object Rescaling {
  private type Rocks = RocksDBStateStoreProvider#RocksDBStateStore

  private val named = classOf[RocksDB].getDeclaredMethod("colFamilyNameToInfoMap")
  named.setAccessible(true)

  private def familiesOf(store: Rocks): Seq[String] = {
    val names = named.invoke(store.dbInstance()).asInstanceOf[java.util.Map[String, _]].keySet.asScala.toSeq
    names.filter(_ != StateStore.DEFAULT_COL_FAMILY_NAME).sorted
  }

  private def written(write: ObjectNode => Any): String = {
    val root = new ObjectMapper().createObjectNode
    write(root)
    root.toString
  }

  private def text(bytes: Array[Byte]): String = Base64.getEncoder.encodeToString(bytes)

  /** Way of the cells of one name to their new tasks; see headrace.spark.rescaling. */
  private final case class Move(
      way: MoveBy.Value, skip: Int, form: KeyForm.Value, tail: Int, before: Int, after: Int, meets: Boolean,
      time: Option[TimeAt.Value], over: IndexedSeq[Seq[(Long, Long)]]) {

    /** The new tasks of a cell. */
    def tasks(task: Int, cell: Cell, count: Int): Seq[Int] = way match {
      case MoveBy.Key => Seq(Groups.bucket(key(cell.key), after))
      case MoveBy.Task => Seq(task % count)
      case MoveBy.All => if (task == 0) 0 until count else Nil
    }

    /** Whether a cell is in the task where its key should have brought it. */
    def belongs(task: Int, cell: Cell, count: Int): Boolean =
      way != MoveBy.Key || before == 0 || Groups.bucket(key(cell.key), before) % count == task

    /** Whether nobody asks for a cell of a task any more. */
    def isOver(task: Int, cell: Cell): Boolean = over.nonEmpty && over(task).nonEmpty && {
      val at = if (time.contains(TimeAt.Front)) Bytes.time(cell.key, 0) else Bytes.time(cell.key, end(cell.key, skip))
      over(task).exists { case (behind, upTo) => behind < at && at <= upTo }
    }

    /** The key by which the records of a cell came to their task. */
    def key(place: Array[Byte]): Array[Byte] = {
      val begin = if (form == KeyForm.Held) Suppress.keyPlace(place) else skip
      val key = form match {
        case KeyForm.Rest | KeyForm.Held => Arrays.copyOfRange(place, begin, place.length)
        case KeyForm.Sized => sized(place, begin)
        case KeyForm.SizedTwice => sized(sized(place, begin), 0)
        case KeyForm.Ended => Bytes.unended(place, begin)
      }
      if (tail == 0) key else Arrays.copyOf(key, key.length - tail)
    }
  }

  private object Move {
    def of(json: JsonNode): Move = Move(
      MoveBy.withName(json.get("way").asText), json.get("skip").asInt, KeyForm.withName(json.get("form").asText),
      json.get("tail").asInt, json.get("before").asInt, json.get("after").asInt, json.get("meets").asBoolean,
      Option(json.get("time")).filterNot(_.isNull).map(time => TimeAt.withName(time.asText)),
      json.get("over").elements.asScala.map { task =>
        task.elements.asScala.map(bounds => (bounds.get(0).asLong, bounds.get(1).asLong)).toSeq
      }.toIndexedSeq)
  }

  private def sized(bytes: Array[Byte], begin: Int): Array[Byte] =
    Arrays.copyOfRange(bytes, begin + Integer.BYTES, end(bytes, begin))

  /** End of bytes that have their number in front. */
  private def end(bytes: Array[Byte], begin: Int): Int =
    begin + Integer.BYTES + java.nio.ByteBuffer.wrap(bytes).getInt(begin)
}

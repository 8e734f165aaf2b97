package headrace.kafka

import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.Admin

/** Clients of the broker, by the properties that say how to reach it. */
object Clients {
  /** The properties as clients take them. */
  def properties(kafka: Map[String, String]): java.util.Map[String, Object] =
    kafka.asJava.asInstanceOf[java.util.Map[String, Object]]

  def admin(kafka: Map[String, String]): Admin = Admin.create(properties(kafka))

  /** Answer of the broker to an admin client that is opened for it alone. */
  def asked[A](kafka: Map[String, String])(ask: Admin => A): A = {
    val one = admin(kafka)
    try plainly(ask(one)) finally one.close()
  }

  /** Result of a call to the broker; its failure without the wrapping of a future. */
  def plainly[A](talk: => A): A =
    try talk
    catch { case failed: ExecutionException => throw failed.getCause }
}

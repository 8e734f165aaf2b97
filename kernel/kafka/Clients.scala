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

  /** What the broker answers an admin that is there for these questions only. */
  def asked[A](kafka: Map[String, String])(ask: Admin => A): A = {
    val one = admin(kafka)
    try plainly(ask(one)) finally one.close()
  }

  /** What comes of talking to the broker; what fails there, without the wrapping of a future. */
  def plainly[A](talk: => A): A =
    try talk
    catch { case failed: ExecutionException => throw failed.getCause }
}

package org.apache.spark.sql.headrace

import java.io.{PrintWriter, StringWriter}

import scala.jdk.CollectionConverters._

import org.apache.logging.log4j.LogManager
import org.apache.logging.log4j.core.{LogEvent, LoggerContext}
import org.apache.logging.log4j.core.appender.rewrite.{RewriteAppender, RewritePolicy}
import org.apache.logging.log4j.core.config.{AppenderRef, LoggerConfig}
import org.apache.logging.log4j.core.impl.Log4jLogEvent
import org.apache.logging.log4j.message.SimpleMessage

/** Secrets of the applications in this process, kept out of its log: Kafka's clients log the properties they are given. */
object LogSecrets {
  private val Hidden = "[hidden]"
  @volatile private var secrets = Set.empty[String]
  private var wrapped = false

  /** Hides these texts too, from now on. */
  def hide(these: java.util.List[String]): Unit = synchronized {
    secrets ++= these.asScala
    if (!wrapped && secrets.nonEmpty) wrap()
  }

  private def wrap(): Unit = {
    val context = LogManager.getContext(false).asInstanceOf[LoggerContext]
    context.getConfiguration.getLoggers.values.asScala.foreach { logger =>
      val names = logger.getAppenders.keySet.asScala.toSeq
      if (names.nonEmpty) putBehind(context, logger, names)
    }
    context.updateLoggers()
    wrapped = true
  }

  /** Put the rewriting between a logger and its appenders. */
  private def putBehind(context: LoggerContext, logger: LoggerConfig, names: Seq[String]): Unit = {
    val refs = names.map(AppenderRef.createAppenderRef(_, null, null)).toArray
    val name = s"headrace-secrets-${logger.getName}"
    val appender = RewriteAppender.createAppender(name, "true", refs, context.getConfiguration, Policy, null)
    appender.start()
    context.getConfiguration.addAppender(appender)
    names.foreach(logger.removeAppender)
    logger.addAppender(appender, null, null)
  }

  private object Policy extends RewritePolicy {
    override def rewrite(event: LogEvent): LogEvent = {
      val text = event.getMessage.getFormattedMessage + Option(event.getThrown).fold("")(trace)
      val safe = secrets.foldLeft(text)((told, secret) => told.replace(secret, Hidden))
      if (safe == text) event
      else new Log4jLogEvent.Builder(event).setMessage(new SimpleMessage(safe)).setThrown(null).build()
    }

    private def trace(thrown: Throwable): String = {
      val written = new StringWriter
      thrown.printStackTrace(new PrintWriter(written))
      s"\n$written"
    }
  }
}

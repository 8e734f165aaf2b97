package org.apache.spark.sql.headrace

import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions

import org.apache.hadoop.fs.{LocalFileSystem, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.FsPermission

/** The local disk, where the JVM itself sets who may do what: Hadoop starts a process, twice for every file it makes. */
class PlainFiles extends LocalFileSystem(new PlainFiles.Raw)

object PlainFiles {
  class Raw extends RawLocalFileSystem {
    override def setPermission(path: Path, permission: FsPermission): Unit = {
      val bits = s"${permission.getUserAction.SYMBOL}${permission.getGroupAction.SYMBOL}${permission.getOtherAction.SYMBOL}"
      Files.setPosixFilePermissions(pathToFile(path).toPath, PosixFilePermissions.fromString(bits)): Unit
    }
  }
}

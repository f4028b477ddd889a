#!/usr/bin/env python3
"""A file system (FUSE) that stores its files in another folder, and hangs while a file FLAG exists. While FLAG.read-only exists, it is
read-only, as file systems become when their disk fails.

    hanging-disk.py FOLDER MOUNT FLAG     runs until unmounted

All operations that reach the disk block: writes, fsync, and creating and renaming files.
"""
import errno
import os
import sys
import time

import fusepy as fuse


class HangingDisk(fuse.Operations):
    def __init__(self, folder, flag):
        self.folder, self.flag = folder, flag

    def wait(self):
        while os.path.exists(self.flag):
            time.sleep(0.01)
        if os.path.exists(self.flag + ".read-only"):
            raise fuse.FuseOSError(errno.EROFS)

    def full(self, path):
        return self.folder + path

    def getattr(self, path, handle=None):
        try:
            facts = os.lstat(self.full(path))
        except OSError as error:
            raise fuse.FuseOSError(error.errno) from error
        return {name: getattr(facts, name) for name in
                ("st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid", "st_blocks")}

    def readdir(self, path, handle):
        return [".", ".."] + os.listdir(self.full(path))

    def statfs(self, path):
        facts = os.statvfs(self.full(path))
        return {name: getattr(facts, name) for name in
                ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_favail", "f_ffree", "f_files", "f_frsize", "f_namemax")}

    def create(self, path, mode, info=None):
        self.wait()
        return os.open(self.full(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def open(self, path, flags):
        return os.open(self.full(path), flags & ~os.O_APPEND)

    def read(self, path, size, offset, handle):
        return os.pread(handle, size, offset)

    def write(self, path, data, offset, handle):
        self.wait()
        return os.pwrite(handle, data, offset)

    def truncate(self, path, length, handle=None):
        self.wait()
        os.truncate(self.full(path), length)

    def fsync(self, path, only_data, handle):
        self.wait()
        os.fsync(handle)

    def fsyncdir(self, path, only_data, handle):
        self.wait()

    def release(self, path, handle):
        os.close(handle)

    def mkdir(self, path, mode):
        self.wait()
        os.mkdir(self.full(path), mode)

    def rename(self, old, new):
        self.wait()
        os.rename(self.full(old), self.full(new))

    def unlink(self, path):
        os.unlink(self.full(path))

    def rmdir(self, path):
        os.rmdir(self.full(path))


fuse.FUSE(HangingDisk(sys.argv[1], sys.argv[3]), sys.argv[2], foreground=True, big_writes=True, max_write=131072, default_permissions=True)

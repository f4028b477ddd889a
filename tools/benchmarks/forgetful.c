// Loaded before a program, it has the program believe that everything is on the disk: what durability costs is the difference.
int fdatasync(int file) { return file < 0 ? -1 : 0; }
int fsync(int file) { return file < 0 ? -1 : 0; }

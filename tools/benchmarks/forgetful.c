// Preload library that makes sync calls do nothing, to measure the cost of durability.
int fdatasync(int file) { return file < 0 ? -1 : 0; }
int fsync(int file) { return file < 0 ? -1 : 0; }

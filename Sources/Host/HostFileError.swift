/// Why a file of proc or sysfs could not be used. `reason` is the end of a sentence.
struct HostFileError: Error, Equatable {
    let reason: String
    /// Whether the file does not exist, because the part of the computer that it describes may not exist.
    var isAbsent = false
}

/// Why a file of proc or sysfs tells nothing: the end of a sentence.
struct HostFileError: Error, Equatable {
    let reason: String
    /// Whether it is only not there, as what it belongs to may be.
    var isAbsent = false
}

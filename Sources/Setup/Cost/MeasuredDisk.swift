/// The measured write speed of a disk that recordings go to.
public struct MeasuredDisk: Sendable, Equatable {
    /// The folder that was measured: the output folder, or its nearest existing parent.
    public let folder: String
    /// Sustained write speed in bytes per second.
    public let bytesPerSecond: Double
    /// The identity of the file system.
    let identity: String
}

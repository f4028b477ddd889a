/// A disk that recordings go to, as it was measured.
public struct MeasuredDisk: Sendable, Equatable {
    /// That it was measured in: the output folder, or the nearest one above it that there is.
    public let folder: String
    /// That it takes and brings to the disk.
    public let bytesPerSecond: Double
    /// Of the file system.
    let identity: String
}

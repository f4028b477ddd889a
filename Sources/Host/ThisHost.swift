public import Media

/// The computer that this runs on, as its kernel describes it.
///
/// Everything is read anew each time: some dozens of small files, well below a millisecond. Nothing is kept between, so
/// that what is plugged in or appears later is seen.
public struct ThisHost: HostReading {
    private let files: HostFiles

    /// - Parameter root: In front of `/sys` and `/proc`; synthetic in tests.
    public init(root: String = "") {
        files = HostFiles(root: root)
    }

    /// How much of the processors this process may use, without looking at anything else; `nil` where the system does not say.
    package var processorShare: ProcessorShare? {
        var state = HostState()
        ShareReader(files: files).read(into: &state)
        return state.share
    }

    public func read(folder: String, at time: ClockTime) -> HostState {
        var state = HostState()
        StallReader(files: files).read(into: &state)
        ThermalReader(files: files).read(into: &state)
        SpeedReader(files: files).read(into: &state)
        ShareReader(files: files).read(into: &state)
        PowerReader(files: files).read(into: &state)
        DiskSpaceReader.read(folder, into: &state)
        return state
    }
}

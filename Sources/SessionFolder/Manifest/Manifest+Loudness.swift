package import Media

extension Manifest {
    /// How loud a track's audio is as it was written, from T0 to its end (ITU-R BS.1770-4, EBU R 128). A figure is left out where
    /// there was nothing to measure. A program's is that of its mix before it is encoded: AAC changes it by some 0.2 LU.
    public struct Loudness: Sendable, Equatable, Codable {
        public var integrated_lufs: Double?
        public var range_lu: Double?
        public var true_peak_dbtp: Double?

        /// Rounded to 0.01.
        package init(_ loudness: Media.Loudness) {
            func rounded(_ value: Double?) -> Double? { value.map { Clock.rounded($0, 100) } }
            integrated_lufs = rounded(loudness.integrated)
            range_lu = rounded(loudness.range)
            true_peak_dbtp = rounded(loudness.truePeak)
        }
    }
}

package import Media

extension Manifest {
    /// Loudness of a track's audio as it was written, from T0 to its end (ITU-R BS.1770-4, EBU R 128). A figure is `nil` where
    /// there was nothing to measure. A program's figures are those of its mix before encoding: AAC changes them by some 0.2 LU.
    public struct Loudness: Sendable, Equatable, Codable {
        /// Integrated loudness in LUFS.
        public var integrated_lufs: Double?
        /// Loudness range in LU.
        public var range_lu: Double?
        /// Highest true peak in dBTP.
        public var true_peak_dbtp: Double?

        /// Takes measured figures, rounded to 0.01.
        package init(_ loudness: Media.Loudness) {
            func rounded(_ value: Double?) -> Double? { value.map { Clock.rounded($0, 100) } }
            integrated_lufs = rounded(loudness.integrated)
            range_lu = rounded(loudness.range)
            true_peak_dbtp = rounded(loudness.truePeak)
        }
    }
}

internal import Media

/// A line of `chronyc -c tracking`.
struct ChronyTracking: Sendable, Equatable {
    /// Address or name of the source.
    let source: String
    /// UTC of the last measurement, in nanoseconds since 1970.
    let measuredAt: Int64
    /// The source's time less that of this computer's clock.
    let offset: Nanoseconds
    /// How fast this computer's clock is, in parts per million.
    let ppm: Double
    let rootDelay: Nanoseconds
    let rootDispersion: Nanoseconds

    /// Reads a line.
    ///
    /// - Returns: `nil` for anything else, and while chrony follows no source.
    init?(_ line: String) {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard fields.count >= 14, fields.count < 32,
            fields[13].hasPrefix("Normal") || fields[13].hasSuffix("second"),
            fields[0] != "00000000", let measuredAt = Self.seconds(fields[3], most: 1e11),
            let offset = Self.seconds(fields[4], most: 1e9), let ppm = Double(fields[7]), ppm.isFinite,
            ppm.magnitude < 1e6, let rootDelay = Self.seconds(fields[10], most: 1e6), rootDelay >= .zero,
            let rootDispersion = Self.seconds(fields[11], most: 1e6), rootDispersion >= .zero
        else { return nil }
        source = fields[1].printable(limit: 100)
        (self.measuredAt, self.offset, self.ppm) = (measuredAt.count, offset, ppm)
        (self.rootDelay, self.rootDispersion) = (rootDelay, rootDispersion)
    }

    /// Reads seconds of at most a magnitude.
    private static func seconds(_ text: String, most: Double) -> Nanoseconds? {
        guard let seconds = Double(text), seconds.isFinite, seconds.magnitude <= most else { return nil }
        // Of seconds since 1970 a Double has no nanoseconds; of an offset it has.
        return .seconds(rounding: seconds)
    }

    /// No more than this is the offset wrong: root delay ÷ 2 + root dispersion.
    var bound: Nanoseconds { rootDelay / 2 + rootDispersion }
}

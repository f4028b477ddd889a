package import Media

/// The state of a running session's devices, as far as changes depend on it.
package struct RunningDevices: Sendable, Equatable {
    /// The formats that changeable cameras offer, by role. A camera that is not in it cannot change its format.
    var offers: [String: [OfferedFormat]] = [:]
    /// The formats that cameras were asked to deliver since the beginning, by role; other cameras deliver the plan's format.
    package var formats: [String: VideoFormat] = [:]
    /// Roles of devices that are switched off.
    var disabled: Set<String> = []
    /// Roles of devices that were removed from the session.
    package var removed: Set<String> = []
    /// Encoded streams, named `program` or by role, for which x264 has taken over from a hardware encoder in this recording.
    var fallen: Set<String> = []
    /// Names of tracks that were ended.
    var endedTracks: Set<String> = []
    /// The longest frame interval at which a camera's frames still arrive before their ticks are decided, by role, where known.
    package var slowestIntervals: [String: Nanoseconds] = [:]

    /// Creates the state of a session's devices.
    package init(
        offers: [String: [OfferedFormat]] = [:], formats: [String: VideoFormat] = [:],
        disabled: Set<String> = [], removed: Set<String> = [], endedTracks: Set<String> = [],
        slowestIntervals: [String: Nanoseconds] = [:]
    ) {
        self.offers = offers
        self.formats = formats
        self.disabled = disabled
        self.removed = removed
        self.endedTracks = endedTracks
        self.slowestIntervals = slowestIntervals
    }
}

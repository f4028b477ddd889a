package import Media

/// What is known of a running session's devices for changing them.
package struct RunningDevices: Sendable, Equatable {
    /// What cameras that can go on in another format offer, by role. Others cannot.
    var offers: [String: [OfferedFormat]] = [:]
    /// What they were asked to deliver; those that are not here deliver the plan's format.
    var formats: [String: VideoFormat] = [:]
    var disabled: Set<String> = []
    /// Roles of devices that were taken out.
    var removed: Set<String> = []
    /// Names of tracks that were ended.
    var endedTracks: Set<String> = []
    /// How slow a camera may become so that its frames still come before their ticks are decided, as far as that is known.
    package var slowestIntervals: [String: Nanoseconds] = [:]

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

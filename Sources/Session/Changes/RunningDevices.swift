internal import Media

/// What is known of a running session's devices for changing them.
struct RunningDevices: Sendable, Equatable {
    /// What cameras that can go on in another format offer, by role. Others cannot.
    var offers: [String: [OfferedFormat]] = [:]
    /// What they were asked to deliver; those that are not here deliver the plan's format.
    var formats: [String: VideoFormat] = [:]
    var disabled: Set<String> = []
    /// Roles of devices that were taken out.
    var removed: Set<String> = []
    /// Names of tracks that were ended.
    var endedTracks: Set<String> = []
    /// How slow a camera may become so that its pictures still come before their ticks are decided, as far as that is known.
    var slowestIntervals: [String: Nanoseconds] = [:]
}

/// The cameras that automatic switching shows for a voice while a session is running, excluding cameras that
/// can't be shown. The cut of a finished recording uses the same wide shot. A pure value type.
package struct VoiceShots: Sendable, Equatable {
    /// Roles of the cameras assigned to a speaker.
    package let cameras: [String]
    /// Roles of the cameras that are shown if several people or no one is speaking, the main camera first.
    package let wide: [String]
    private let all: [String]

    /// - Parameters:
    ///   - cameras: Roles of the cameras assigned to a speaker.
    ///   - all: Roles of all cameras. The first camera that isn't assigned to a speaker is the wide shot. Without such
    ///     a camera, the wide shot shows all cameras.
    package init(cameras: [String], all: [String]) {
        self.cameras = cameras
        self.all = all
        wide = all.first { !cameras.contains($0) }.map { [$0] } ?? all
    }

    /// Returns the cameras to show. The first usable choice applies: the requested camera, the usable cameras of the
    /// wide shot, the cameras shown so far, any other camera.
    ///
    /// - Parameters:
    ///   - camera: Role of the active speaker's camera; `nil` for the wide shot.
    ///   - faulty: Roles of the cameras that can't be shown.
    ///   - previous: Roles of the cameras shown so far.
    /// - Returns: The roles of the cameras to show, the main camera first. If no camera can be shown, the
    ///   roles of the requested cameras.
    package func shown(_ camera: String?, without faulty: Set<String>, previous: [String]) -> [String] {
        let wanted = camera.map { [$0] } ?? wide
        for candidates in [wanted, wide, previous] {
            let usable = candidates.filter { !faulty.contains($0) }
            if !usable.isEmpty { return usable }
        }
        return all.first { !faulty.contains($0) }.map { [$0] } ?? wanted
    }
}

/// The pattern of the synthetic devices that replace the devices of a profile.
package enum VirtualPattern: String, Sendable, CaseIterable {
    /// Test pictures and beeps, for measurements.
    case clap
    /// Drawn people who speak in turns, for demonstrations.
    case people

    /// Number of different people.
    private static let maxPeople = 4

    /// Returns the selector for the camera with an index in a profile with a number of cameras and microphones.
    func camera(_ index: Int, cameraCount: Int, microphoneCount: Int) -> String {
        switch self {
        case .clap: "virtual:clap"
        case .people:
            "virtual:people?person=\(index % Self.maxPeople + 1)&speakers=\(Self.speakers(cameraCount, microphoneCount))"
        }
    }

    /// Returns the selector for the microphone with an index. The first microphone belongs to the person of the first
    /// camera. A single microphone records all people.
    func microphone(_ index: Int, cameraCount: Int, microphoneCount: Int) -> String {
        let speakers = Self.speakers(cameraCount, microphoneCount)
        return switch self {
        case .clap: "virtual:clap"
        case .people where microphoneCount == 1: "virtual:people?speakers=\(speakers)"
        case .people: "virtual:people?person=\(index % Self.maxPeople + 1)&speakers=\(speakers)"
        }
    }

    /// People without a microphone only listen, unless there is a single microphone for all people.
    private static func speakers(_ cameras: Int, _ microphones: Int) -> Int {
        min(max(microphones > 1 ? microphones : cameras, 1), maxPeople)
    }
}

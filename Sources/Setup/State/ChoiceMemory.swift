internal import Media
internal import Plan

/// The choices that people made, by application, and the cameras that have streamed.
///
/// This value is stored by a `StateFile`.
struct ChoiceMemory: StateFileContent {
    /// The choices made in one application.
    struct Histories: Equatable, Codable {
        var cameras = DeviceHistory()
        var microphones = DeviceHistory()
    }

    static let fileName = "choices.json"
    static let subject = "what is remembered of choices"
    static let currentSchema = 1

    var schema = ChoiceMemory.currentSchema
    var applications: [String: Histories] = [:]
    /// The cameras that have streamed in any application, the latest first.
    var streamed: [DeviceIdentity] = []

    /// The greatest length of `streamed`: about as many cameras as a computer sees in a year.
    private static let streamedCapacity = 32

    subscript(application: ApplicationIdentifier) -> Histories {
        get { applications[application.name] ?? Histories() }
        set { applications[application.name] = newValue == Histories() ? nil : newValue }
    }

    /// Puts cameras that stream at the front, the most important first.
    mutating func stream(_ cameras: [DeviceIdentity]) {
        streamed = Array((cameras + streamed.filter { !cameras.contains($0) }).prefix(Self.streamedCapacity))
    }
}

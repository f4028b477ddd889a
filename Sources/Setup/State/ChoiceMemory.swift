internal import Media
internal import Plan

/// What people chose, by application, and which cameras have streamed.
///
/// A value; a `StateFile` keeps it.
struct ChoiceMemory: StateFileContent {
    /// Of one application.
    struct Histories: Equatable, Codable {
        var cameras = DeviceHistory()
        var microphones = DeviceHistory()
    }

    static let fileName = "choices.json"
    static let subject = "what is remembered of choices"
    static let currentSchema = 1

    var schema = ChoiceMemory.currentSchema
    var applications: [String: Histories] = [:]
    /// Cameras that have streamed, the latest first, whoever used them.
    var streamed: [DeviceIdentity] = []

    /// As many as a computer sees in a year or so.
    private static let streamedCapacity = 32

    subscript(application: ApplicationIdentifier) -> Histories {
        get { applications[application.name] ?? Histories() }
        set { applications[application.name] = newValue == Histories() ? nil : newValue }
    }

    /// Remembers cameras that stream, the most important first.
    mutating func stream(_ cameras: [DeviceIdentity]) {
        streamed = Array((cameras + streamed.filter { !cameras.contains($0) }).prefix(Self.streamedCapacity))
    }
}

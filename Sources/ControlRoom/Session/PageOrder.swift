internal import FoundationEssentials
internal import Studio

/// What a page has the supervisor do, read from a request's method, address and body.
struct PageOrder: Equatable {
    /// Why a request orders nothing; the raw value is HTTP's status.
    enum Fault: Int, Error {
        /// The body is none that the address takes.
        case body = 400
        /// Nothing is at the address.
        case address = 404
        /// Something is at the address, and the method is another one's.
        case method = 405
    }

    let task: SupervisorLine.Task
    /// The name of a profile or a session folder, unchecked: the supervisor checks it.
    var name: String?
    /// A profile's text.
    var text: String?
    /// The command of a job.
    var command: JobCommand?
    /// The options of a job's command, unchecked.
    var options: [String: String]?
    /// The number of a job.
    var job: Int?

    private struct Body: Decodable {
        var name: String?
        var text: String?
        var folder: String?
        var command: String?
        var options: [String: String]?
    }

    /// Most options of a job that are read.
    private static let mostOptions = 16

    /// Reads a request. Its path is decoded already.
    ///
    /// - Parameters:
    ///   - head: Method and path.
    ///   - body: Gives the body, an object of JSON, when it is needed.
    /// - Throws: `Fault` when it asks for nothing that can be done.
    init(_ head: RequestHead, _ body: () -> Data) throws(Fault) {
        let parts = head.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map { String($0) }
        guard parts.count >= 3, parts[0] == "api", parts[1] == "v1" else { throw .address }
        let place = Array(parts.dropFirst(2))
        func only(_ methods: String...) throws(Fault) {
            guard methods.contains(head.method) else { throw .method }
        }
        func fields() throws(Fault) -> Body {
            do {
                return try JSONDecoder().decode(Body.self, from: body())
            } catch {
                throw .body
            }
        }
        func needed(_ field: String?) throws(Fault) -> String {
            guard let field else { throw .body }
            return field
        }
        switch (place[0], place.count) {
        case ("plan", 1), ("devices", 1), ("doctor", 1), ("group", 1), ("calibration", 1), ("profiles", 1),
            ("recordings", 1):
            try only("GET")
            let tasks: [String: SupervisorLine.Task] = [
                "plan": .plan, "devices": .devices, "doctor": .doctor, "group": .group,
                "calibration": .calibration,
                "profiles": .profiles,
            ]
            task = tasks[place[0]] ?? .recordings
        case ("start", 1):
            try only("POST")
            task = .start
        case ("profiles", 2) where head.method == "GET": (task, name) = (.profile, place[1])
        case ("profiles", 2) where head.method == "PUT":
            (task, name, text) = (.keep, place[1], try needed(try fields().text))
        case ("profiles", 2) where place[1] == "check":
            try only("POST")
            (task, text) = (.check, try needed(try fields().text))
        case ("profiles", 2) where place[1] == "use":
            try only("POST")
            (task, name) = (.use, try needed(try fields().name))
        case ("jobs", 1), ("calibrate", 1):
            try only("POST")
            let wish = try fields()
            let word = place[0] == "calibrate" ? JobCommand.calibrate.rawValue : wish.command ?? ""
            guard let command = JobCommand(rawValue: word), wish.folder != nil || !command.needsFolder,
                wish.options?.count ?? 0 <= Self.mostOptions
            else { throw .body }
            (task, self.command, options) = (.job, command, wish.options)
            name = command.needsFolder ? wish.folder : nil
        case ("jobs", 3) where place[2] == "cancel":
            try only("POST")
            guard let number = Int(place[1]) else { throw .address }
            (task, job) = (.cancel, number)
        // Known addresses that the supervisor has nothing to do with: what comes here has another method.
        case ("profiles", 2), ("status", 1), ("tally", 1), ("phones", 1), ("login", 1), ("command", 1),
            ("recordings", 2):
            throw .method
        default: throw .address
        }
    }
}

internal import FoundationEssentials
internal import MulticamStudio

/// A page's request to the supervisor, parsed from the method, path and body of an HTTP request.
struct PageRequest: Equatable {
    /// The reason why a request is invalid. The raw value is the HTTP status.
    enum Fault: Int, Error {
        /// The body isn't valid for the path.
        case body = 400
        /// The path doesn't exist.
        case address = 404
        /// The path exists, but doesn't support the method.
        case method = 405
    }

    let task: SupervisorMessage.Task
    /// Name of a profile or session folder. The supervisor validates the name.
    var name: String?
    /// Text of a profile.
    var text: String?
    /// Command of a job.
    var command: JobCommand?
    /// Options of a job's command, not validated.
    var options: [String: String]?
    /// Number of a job.
    var job: Int?

    private struct Body: Decodable {
        var name: String?
        var text: String?
        var title: String?
        var to: String?
        var folder: String?
        var command: String?
        var options: [String: String]?
    }

    /// Maximum number of a job's options.
    private static let mostOptions = 16

    /// Parses a request. The path must already be decoded.
    ///
    /// - Parameters:
    ///   - head: Method and path.
    ///   - body: Returns the body, a JSON object. Called only if needed.
    /// - Throws: `Fault` if the request is invalid.
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
            let tasks: [String: SupervisorMessage.Task] = [
                "plan": .plan, "devices": .devices, "doctor": .doctor, "group": .group,
                "calibration": .calibration,
                "profiles": .profiles,
            ]
            task = tasks[place[0]] ?? .recordings
        case ("recordings", 2):
            guard head.method != "PATCH" else {
                (task, name, text) = (.rename, place[1], try needed(try fields().title))
                break
            }
            try only("DELETE")
            (task, name, text) = (.delete, place[1], try needed(try fields().to))
        case ("recordings", 3) where place[2] == "open":
            try only("POST")
            (task, name) = (.open, place[1])
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
            let content = try fields()
            let word = place[0] == "calibrate" ? JobCommand.calibrate.rawValue : content.command ?? ""
            guard let command = JobCommand(rawValue: word), content.folder != nil || !command.needsFolder,
                content.options?.count ?? 0 <= Self.mostOptions
            else { throw .body }
            (task, self.command, options) = (.job, command, content.options)
            name = command.needsFolder ? content.folder : nil
        case ("jobs", 3) where place[2] == "cancel":
            try only("POST")
            guard let number = Int(place[1]) else { throw .address }
            (task, job) = (.cancel, number)
        // Known paths that don't involve the supervisor. A request reaches this point only with an unsupported method.
        case ("profiles", 2), ("status", 1), ("tally", 1), ("phones", 1), ("login", 1), ("command", 1):
            throw .method
        default: throw .address
        }
    }
}

/// A request to `/api/v1/cameras/ROLE/controls`, translated to words of `multicam ctl`. The recorder executes the
/// request, because the recorder has the camera open.
struct ControlsRequest: Equatable {
    /// The camera's role.
    let role: String
    /// Command words for the recorder.
    let arguments: [String]

    /// Maximum number of controls set at once, more than any camera has.
    private static let mostSettings = 64

    /// A control value in JSON: a number, a menu item, or a Boolean.
    private enum Value: Decodable {
        case number(Int64)
        case word(String)
        case flag(Bool)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try Self.decodeIfMatching({ try container.decode(Bool.self) }) {
                self = .flag(flag)
            } else if let number = try Self.decodeIfMatching({ try container.decode(Int64.self) }) {
                self = .number(number)
            } else {
                self = .word(try container.decode(String.self))
            }
        }

        private static func decodeIfMatching<Found>(_ decode: () throws -> Found) throws -> Found? {
            do {
                return try decode()
            } catch is DecodingError {
                return nil
            }
        }

        var text: String {
            switch self {
            case .number(let number): String(number)
            case .word(let word): word
            case .flag(let flag): flag ? "on" : "off"
            }
        }
    }

    private struct Body: Decodable {
        var set: [String: Value]?
        var load: String?
        var save: String?
        var delete: String?
        var match: String?
    }

    /// Returns the camera's role if a path addresses its controls, or `nil`. The path must already be decoded.
    static func role(of path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0)
        }
        guard parts.count == 5, Array(parts.prefix(3)) == ["api", "v1", "cameras"], parts[4] == "controls",
            !parts[3].isEmpty
        else { return nil }
        return parts[3]
    }

    /// Creates a request for the current controls.
    init(role: String) { (self.role, arguments) = (role, ["controls", role]) }

    /// Parses a request's body. Returns `nil` unless the body requests exactly one operation.
    init?(role: String, _ body: Data) {
        let fields: Body
        do {
            fields = try JSONDecoder().decode(Body.self, from: body)
        } catch {
            return nil
        }
        var orders: [[String]] = []
        if let set = fields.set, !set.isEmpty, set.count <= Self.mostSettings {
            let settings = set.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }
            orders.append(["controls", role] + settings)
        }
        if let name = fields.load { orders.append(["load-preset", role, name]) }
        if let name = fields.save { orders.append(["save-preset", role, name]) }
        if let name = fields.delete { orders.append(["delete-preset", role, name]) }
        if let leader = fields.match { orders.append(["match", role, leader]) }
        guard orders.count == 1 else { return nil }
        (self.role, arguments) = (role, orders[0])
    }
}

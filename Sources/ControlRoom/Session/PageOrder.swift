internal import Foundation
internal import Studio

/// What a page has the supervisor do, read from a request's method, address and body.
struct PageOrder: Equatable {
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

    /// Reads a request; `nil` when it asks for nothing that can be done.
    ///
    /// - Parameters:
    ///   - head: Method and path.
    ///   - body: Gives the body, an object of JSON, when it is needed.
    init?(_ head: RequestHead, _ body: () -> Data) {
        let parts = head.path.split(separator: "/").dropFirst(2).map {
            String($0).removingPercentEncoding ?? ""
        }
        func fields() -> Body? {
            do {
                return try JSONDecoder().decode(Body.self, from: body())
            } catch {
                return nil
            }
        }
        switch (head.method, parts.first ?? "", parts.count) {
        case ("GET", "plan", 1): task = .plan
        case ("GET", "devices", 1): task = .devices
        case ("GET", "doctor", 1): task = .doctor
        case ("GET", "profiles", 1): task = .profiles
        case ("GET", "recordings", 1): task = .recordings
        case ("GET", "profiles", 2): (task, name) = (.profile, parts[1])
        case ("GET", "recordings", 2): (task, name) = (.manifest, parts[1])
        case ("POST", "profiles", 2) where parts[1] == "check":
            guard let text = fields()?.text else { return nil }
            (task, self.text) = (.check, text)
        case ("POST", "profiles", 2) where parts[1] == "use":
            guard let name = fields()?.name else { return nil }
            (task, self.name) = (.use, name)
        case ("PUT", "profiles", 2):
            guard let text = fields()?.text else { return nil }
            (task, name, self.text) = (.keep, parts[1], text)
        case ("POST", "jobs", 1):
            guard let fields = fields(), let command = JobCommand(rawValue: fields.command ?? ""),
                fields.folder != nil || !command.needsFolder,
                fields.options?.count ?? 0 <= Self.mostOptions
            else { return nil }
            (task, self.command, options) = (.job, command, fields.options)
            name = command.needsFolder ? fields.folder : nil
        case ("POST", "calibrate", 1):
            guard let fields = fields(), fields.options?.count ?? 0 <= Self.mostOptions else { return nil }
            (task, command, options) = (.job, .calibrate, fields.options)
        case ("POST", "jobs", 3) where parts[2] == "cancel":
            guard let number = Int(parts[1]) else { return nil }
            (task, job) = (.cancel, number)
        default: return nil
        }
    }
}

internal import FoundationEssentials
internal import Glibc
internal import MulticamSessionFolder

/// A message between the supervisor and the web process. A message is one line of JSON in which one field is set. The
/// supervisor doesn't access the network, and the web process doesn't start programs. A page's request is a `Task` that
/// the supervisor executes.
package struct SupervisorMessage: Sendable, Codable {
    /// Tasks that the supervisor executes for a page.
    package enum Task: String, Sendable, Codable {
        /// Returns the plan and its cost, as printed by `multicam plan --json`.
        case plan
        /// Returns the cameras and microphones, as printed by `multicam devices --json`.
        case devices
        /// Runs the checks of `multicam doctor`.
        case doctor
        /// Returns the state of the nodes in this computer's groups, as last received from them.
        case group
        /// Returns the stored device latencies, as printed by `multicam calibrate --show --json`.
        case calibration
        /// Returns the recordings in the output folder, with their verdicts.
        case recordings
        /// Replaces the title of a recording with `text`.
        case rename
        /// Deletes a recording: `text` is `trash` or `permanent`.
        case delete
        /// Shows a recording's folder in the desktop's file manager.
        case open
        /// Returns the available profiles.
        case profiles
        /// Returns the text of a profile.
        case profile
        /// Returns the errors in a profile's text, or the plan that results from it.
        case check
        /// Saves the text of a profile in the user's folder.
        case keep
        /// Switches to another profile.
        case use
        /// Starts a recorder after the previous one has ended.
        case start
        /// Stores a piece of a phone's local recording, given in `piece`. After the last piece, `multicam ingest` runs.
        case store
        /// Registers `phone` as a camera of the running recording, unless another phone is registered as that camera.
        case claim
        /// Runs a long-running command, given in `command`.
        case job
        /// Cancels a long-running command, given by number in `job`.
        case cancel
    }

    /// A request for a task.
    package struct Request: Sendable, Codable {
        /// Number that identifies the answer to this request.
        package var ticket: Int
        /// The task that the page requests.
        package var task: Task
        /// Name of a profile or session folder, as sent by a page.
        package var name: String?
        /// Text of a profile.
        package var text: String?
        /// Command of a job.
        package var command: JobCommand?
        /// Options of a job's command, as sent by a page.
        package var options: [String: String]?
        /// Number of a job.
        package var job: Int?
        /// A piece of a phone's local recording. `name` is the session folder.
        package var piece: PhonePiece?
        /// A phone that acts as a camera. `name` is the session folder.
        package var phone: PhoneIdentity?

        /// Creates a request. Each parameter sets the property with the same name.
        package init(ticket: Int, task: Task, name: String? = nil, text: String? = nil) {
            (self.ticket, self.task, self.name, self.text) = (ticket, task, name, text)
        }
    }

    /// Current state of a job.
    package struct Job: Sendable, Equatable, Codable {
        /// The job's number, assigned by the supervisor.
        package var number: Int
        /// The job's command.
        package var command: JobCommand
        /// Name of the session folder; `nil` for a calibration.
        package var folder: String?
        /// Progress, 0…1; `nil` if the program doesn't report it.
        package var progress: Double?
        /// Latest message of the program while the job is running; all messages of the program after the job
        /// has ended.
        package var text = ""
        /// A line of JSON that the program printed, or `nil` if there is none.
        package var event: String?
        /// Whether the job has ended.
        package var isDone = false
        /// Whether the job hasn't failed.
        package var isOK = true
        /// The exit status; `nil` while the job is running.
        package var exit: Int32?

        package init(number: Int, command: JobCommand, folder: String?) {
            (self.number, self.command, self.folder) = (number, command, folder)
        }
    }

    /// Result of a task.
    package struct Result: Sendable, Codable {
        /// The request's ticket number.
        package var ticket: Int
        /// HTTP status: 200 for success, 400 for an invalid request, 404 if the named object doesn't exist, 409 if the
        /// task can't be executed now, 503 if too many requests are in progress.
        package var status: Int
        /// JSON if the task succeeded, otherwise a message.
        package var output: String

        /// Creates a result. Each parameter sets the property with the same name.
        package init(ticket: Int, status: Int, output: String) {
            (self.ticket, self.status, self.output) = (ticket, status, output)
        }
    }

    /// State of the recorder, as seen by the supervisor.
    package struct Recorder: Sendable, Codable {
        /// The recorder's process ID; `nil` if it has ended.
        package var process: Int32?
        /// Reason why the recorder ended or, while one is running, why it isn't the requested one; `nil` if
        /// there is nothing to report.
        package var text: String?
        /// Process ID of the calibration that temporarily uses the devices and that phones send to; `nil` if no
        /// calibration is running.
        package var calibration: Int32?

        /// Creates a state. Each parameter sets the property with the same name.
        package init(process: Int32?, text: String?, calibration: Int32? = nil) {
            (self.process, self.text, self.calibration) = (process, text, calibration)
        }
    }

    /// Settings for the web process, which are sent to it as the first message.
    package var settings: RoomSettings?
    /// State of the recorder, sent to the web process on every change.
    package var recorder: Recorder?
    /// Result of a task, sent to the web process.
    package var result: Result?
    /// State of a job, sent to the web process on every change and at startup.
    package var job: Job?
    /// The listening port, sent to the supervisor.
    package var listening: Int?
    /// The page's address including the token, sent to the supervisor.
    package var address: String?
    /// Lines for the user, such as the address as a QR code for phones, sent to the supervisor.
    package var notes: [String]?
    /// The reason why the page can't be served, sent to the supervisor.
    package var failed: String?
    /// Request for a task, sent to the supervisor.
    package var order: Request?
    /// Heartbeat of the web process, sent to the supervisor once per second.
    package var alive: Bool?

    /// Creates a message with no field set.
    package init() {}

    /// Parses a line. Returns `nil` if the line is invalid. Lines from other versions aren't supported, because the two
    /// programs are installed together.
    package static func read(_ text: String) -> SupervisorMessage? {
        do {
            return try JSONDecoder().decode(SupervisorMessage.self, from: Data(text.utf8))
        } catch {
            return nil
        }
    }

    /// The message as a line of JSON, without the line feed.
    package var text: String { JSONText.line(self) }
}

/// Settings that the supervisor sends to the web process at startup, as one line of JSON. The settings aren't passed as
/// command-line arguments, because other processes could then read the secrets in them.
package struct RoomSettings: Sendable, Codable {
    /// IP address to listen on.
    package var address: String
    /// Port to listen on; 0 to choose a free port.
    package var port: Int
    /// Whether connections use TLS.
    package var isEncrypted: Bool
    /// Path of a PEM file with a certificate and its key. If `nil` and connections use TLS, the web process creates a
    /// certificate.
    package var certificate: String?
    /// Folder for a certificate that the web process creates.
    package var stateFolder: String
    /// Path of the folder for session folders.
    package var recordings: String
    /// The token that grants full access.
    package var token: AccessToken
    /// The token that grants access only to pictures and tally.
    package var readToken: AccessToken
    /// The token that lets a phone act as a camera and grants no other access.
    package var phoneToken: AccessToken
    /// The recorder's process ID, or `nil` if no recorder is running.
    package var recorder: Int32?

    private enum CodingKeys: String, CodingKey {
        case address, port
        case isEncrypted = "encrypted"
        case certificate
        case stateFolder = "state_folder"
        case recordings, token
        case readToken = "read_token"
        case phoneToken = "phone_token"
        case recorder
    }

    /// Creates settings. Each parameter sets the property with the same name.
    package init(
        address: String, port: Int, isEncrypted: Bool, certificate: String?, stateFolder: String,
        recordings: String, token: AccessToken, readToken: AccessToken, phoneToken: AccessToken,
        recorder: Int32?
    ) {
        self.recordings = recordings
        self.phoneToken = phoneToken
        self.isEncrypted = isEncrypted
        self.stateFolder = stateFolder
        self.address = address
        self.port = port
        self.certificate = certificate
        self.token = token
        self.readToken = readToken
        self.recorder = recorder
    }
}

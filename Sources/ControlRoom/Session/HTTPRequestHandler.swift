internal import CMulticamPage
internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamStudio

/// Handles HTTP requests. An answer may have to wait for the recorder, the supervisor, a picture, or a recorded file.
/// Used only on the web loop's thread.
final class HTTPRequestHandler {
    private let recorderTracker: RecorderTracker
    private let recorder: RecorderConnection
    private let commands: CommandSender
    private let supervisor: SupervisorConnection
    private let pictures: PictureRegistry
    /// Access policy, already applied to each request.
    var accessPolicy: WebAccessPolicy
    private let recordings: RecordingRequestHandler
    private let jobs: JobList
    private let phones: PhoneRegistry

    /// Files being sent, by ticket of their requests.
    private var files: [Int: FileResponse] = [:]
    private var tickets: [Int: WebRequest] = [:]
    private var lastTicket = 0

    private static let mostTickets = 128
    private static let mostFiles = 16

    /// Creates a request handler.
    ///
    /// - Parameters:
    ///   - board: The recorder's known state.
    ///   - recorder: The recorder that receives commands.
    ///   - commands: Sends commands to the recorder.
    ///   - supervisor: Executes tasks that need other programs.
    ///   - pictures: Answers requests for pictures.
    ///   - recordings: Reads recordings.
    ///   - jobs: The supervisor's jobs.
    ///   - phones: The phones that act as cameras.
    ///   - guardian: The access policy.
    init(
        _ board: RecorderTracker, _ recorder: RecorderConnection, _ commands: CommandSender,
        _ supervisor: SupervisorConnection, _ pictures: PictureRegistry,
        _ recordings: RecordingRequestHandler,
        _ jobs: JobList, _ phones: PhoneRegistry, _ guardian: WebAccessPolicy
    ) {
        (self.recorderTracker, self.recorder, self.commands) = (board, recorder, commands)
        (self.supervisor, self.pictures, self.accessPolicy) = (supervisor, pictures, guardian)
        (self.recordings, self.jobs, self.phones) = (recordings, jobs, phones)
    }

    /// Answers a request that has passed the access policy.
    func respond(_ request: WebRequest) {
        guard !request.isAnswered else { return }
        switch (request.head.method, request.head.path) {
        case ("POST", "/api/v1/login"): respond(to: request, with: login)
        case ("GET", "/api/v1/status"):
            let status = WebJSON.text(recorderTracker.status.fields)
            respond(
                to: request,
                with: recorderTracker.isConnected
                    ? WebResponse(200, json: status) : recorderTracker.notRunningResponse)
        case ("GET", "/api/v1/tally"):
            respond(to: request, with: WebResponse(200, json: recorderTracker.status.tally))
        case ("GET", "/api/v1/layers"): layers(request)
        case ("POST", "/api/v1/command"): command(request)
        case ("GET", "/api/v1/jobs"): respond(to: request, with: WebResponse(200, json: jobs.all))
        case ("GET", "/api/v1/phones"):
            respond(
                to: request,
                with: phones.json(inviting: request.head.query["name"]).map { WebResponse(200, json: $0) }
                    ?? WebResponse(503, message: "The control room is starting."))
        case (_, let path) where ControlsRequest.role(of: path) != nil: controls(request)
        case ("GET", let path) where path.hasPrefix("/api/v1/recordings/"),
            ("HEAD", let path) where path.hasPrefix("/api/v1/recordings/"):
            recording(request)
        case (_, let path) where path.hasPrefix("/api/") && !WebAccessPolicy.isPicture(path):
            forwardToSupervisor(request)
        case ("GET", _) where WebAccessPolicy.isPicture(request.head.path): picture(request)
        case ("GET", _), ("HEAD", _):
            guard let asset = PageAsset.at(request.head.path) else {
                return respond(to: request, with: WebResponse(404, message: "Page not found."))
            }
            respond(to: request, with: WebResponse(200, asset.type, Data(asset.bytes)))
        default:
            respond(
                to: request,
                with: WebResponse(
                    405,
                    message:
                        "The method \(request.head.method.printable(limit: 20)) is not supported at this address."
                )
            )
        }
    }

    private func respond(to request: WebRequest, with answer: WebResponse) {
        var answer = answer
        answer.headers.merge(accessPolicy.headers) { mine, _ in mine }
        request.respond(with: answer)
    }

    private var login: WebResponse {
        struct Entry: Encodable {
            let ok = true
            let read_token: AccessToken
        }
        var answer = WebResponse(200, json: WebJSON.text(Entry(read_token: accessPolicy.readToken)))
        let secure = accessPolicy.isEncrypted ? "; Secure" : ""
        answer.headers["Set-Cookie"] =
            "\(accessPolicy.cookieName)=\(accessPolicy.token.text); Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000\(secure)"
        return answer
    }

    private func layers(_ request: WebRequest) {
        guard let arrangement = recorderTracker.status.arrangement else {
            return respond(
                to: request, with: WebResponse(404, message: "This session does not have a program."))
        }
        guard let layers = ProposedLayers(request.head.query, in: arrangement) else {
            return respond(
                to: request,
                with: WebResponse(
                    400,
                    message:
                        "Invalid request: expected layout=LAYOUT&show=ROLE,ROLE, and optionally corner and scale, as in a profile."
                ))
        }
        respond(to: request, with: WebResponse(200, json: WebJSON.text(layers)))
    }

    private func picture(_ request: WebRequest) {
        let width = request.head.query["width"].flatMap { Int($0) } ?? 1920
        guard let requested = PictureRequest(request.head.path, width: width),
            requested.role.map({ recorderTracker.status.cameras.contains($0) })
                ?? recorderTracker.status.hasProgram
        else {
            return respond(
                to: request,
                with: WebResponse(
                    404,
                    message:
                        "Picture not found. Expected /api/v1/cameras/ROLE.jpg, /api/v1/program.jpg, or one of these paths with .mjpg."
                ))
        }
        var headers = accessPolicy.headers
        // Any user who has the token may embed the picture in another web page.
        if request.head.query["token"] != nil { headers["Cross-Origin-Resource-Policy"] = "cross-origin" }
        if let refusal = pictures.add(request, requested, headers) { respond(to: request, with: refusal) }
    }

    // MARK: Asynchronous requests

    private func command(_ request: WebRequest) {
        guard let words = CommandSender.arguments(request.body) else {
            return respond(
                to: request,
                with: WebResponse(
                    400,
                    message:
                        #"Invalid request: expected {"command":"swap"}, with a command of `multicam ctl` as the value."#
                ))
        }
        guard let process = recorder.process else {
            return respond(to: request, with: recorderTracker.notRunningResponse)
        }
        if let ticket = pause(request) { commands.send(words, to: process, ticket: ticket) }
    }

    private func controls(_ request: WebRequest) {
        let role = ControlsRequest.role(of: request.head.path) ?? ""
        let order: ControlsRequest?
        switch request.head.method {
        case "GET": order = ControlsRequest(role: role)
        case "POST": order = ControlsRequest(role: role, request.body)
        default:
            return respond(
                to: request, with: WebResponse(405, message: "Only GET and POST are supported for controls."))
        }
        guard let process = recorder.process else {
            return respond(to: request, with: recorderTracker.notRunningResponse)
        }
        guard recorderTracker.status.cameras.contains(role) else {
            return respond(
                to: request,
                with: WebResponse(404, message: "This session does not have a camera with this role."))
        }
        guard let order else {
            return respond(
                to: request,
                with: WebResponse(
                    400,
                    message:
                        #"Invalid request: expected one of {"set":{"gain":24}}, {"load":"evening"}, {"save":"evening"}, {"delete":"evening"}, {"match":"host"}."#
                ))
        }
        if let ticket = pause(request) {
            commands.send(order.arguments, to: process, ticket: ticket, wantsControls: true)
        }
    }

    private func forwardToSupervisor(_ request: WebRequest) {
        do throws(PageRequest.Fault) {
            forwardToSupervisor(try PageRequest(request.head) { request.body }, request)
        } catch {
            let sentence =
                switch error {
                case .body:
                    "Invalid request. For the supported fields, see docs/reference/control-room.md."
                case .address: "Page not found."
                case .method:
                    "The method \(request.head.method.printable(limit: 20)) is not supported at this address."
                }
            respond(to: request, with: WebResponse(error.rawValue, message: sentence))
        }
    }

    private func forwardToSupervisor(_ order: PageRequest, _ request: WebRequest) {
        guard let ticket = pause(request) else { return }
        var line = SupervisorMessage()
        var supervisorRequest = SupervisorMessage.Request(
            ticket: ticket, task: order.task, name: order.name, text: order.text)
        (supervisorRequest.command, supervisorRequest.options, supervisorRequest.job) = (
            order.command, order.options, order.job
        )
        line.order = supervisorRequest
        supervisor.send(line)
    }

    /// Pauses a request until its answer is available.
    private func pause(_ request: WebRequest) -> Int? {
        guard tickets.count < Self.mostTickets else {
            respond(
                to: request, with: WebResponse(503, message: "Too many requests are in progress. Try again."))
            return nil
        }
        lastTicket += 1
        tickets[lastTicket] = request
        request.pause()
        return lastTicket
    }

    /// Answers a paused request.
    func finish(_ ticket: Int, _ result: WebResponse) {
        guard let request = tickets.removeValue(forKey: ticket) else { return }
        respond(to: request, with: result)
        request.resume()
    }

    /// Handles the supervisor's result.
    func handle(_ result: SupervisorMessage.Result) {
        finish(
            result.ticket,
            result.status == 200
                ? WebResponse(200, json: result.output) : WebResponse(result.status, message: result.output))
    }

    // MARK: Recordings

    private func recording(_ request: WebRequest) {
        do throws(RecordingRefusal) {
            guard let requested = try RecordingRequest.read(request.head) else {
                return forwardToSupervisor(request)
            }
            if let ticket = pause(request) { recordings.enqueue(requested, ticket: ticket) }
        } catch {
            respond(to: request, with: WebResponse(error.status, message: error.text))
        }
    }

    /// Starts sending an opened file, or answers with the reason why it can't be opened.
    func send(_ outcome: Result<any DownloadContent, RecordingRefusal>, _ ticket: Int) {
        switch outcome {
        case .failure(let refusal): finish(ticket, WebResponse(refusal.status, message: refusal.text))
        case .success(let file):
            // Players request many parts per second, so remove finished transfers before counting.
            files = files.filter { !$0.value.isFinished }
            guard files.count < Self.mostFiles else {
                return finish(
                    ticket, WebResponse(503, message: "Too many file transfers are in progress. Try again."))
            }
            guard let request = tickets.removeValue(forKey: ticket) else { return }
            files[ticket] = FileResponse(request, file, number: ticket, headers: accessPolicy.headers) {
                [recordings] file, count, offset in
                recordings.read(file, count, at: offset, for: ticket)
            }
        }
    }

    /// Forwards bytes of a file that is being sent; `nil` if they couldn't be read.
    func forward(_ bytes: Data?, ofFile number: Int) { files[number]?.receive(bytes) }

    /// Closes stalled transfers, and removes finished ones.
    func endStalledFiles(at now: ClockTime) {
        for file in files.values { file.endIfStalled(at: now) }
        files = files.filter { !$0.value.isFinished }
    }
}

/// A file of the page, embedded in the executable.
struct PageAsset {
    /// Media type of the file.
    let type: String
    let bytes: [UInt8]

    /// Returns the file at a path, or `nil`.
    static func at(_ path: String) -> PageAsset? {
        if let name = pages[path] {
            return all[name].map { PageAsset(type: "text/html; charset=utf-8", bytes: $0) }
        }
        guard path.hasPrefix("/page/") else { return nil }
        let name = String(path.dropFirst("/page/".count))
        if name == LayoutTable.name { return PageAsset(type: types[".js"] ?? "", bytes: LayoutTable.script) }
        guard let bytes = all[name], let end = name.lastIndex(of: "."), let type = types[String(name[end...])]
        else {
            return nil
        }
        return PageAsset(type: type, bytes: bytes)
    }

    private static let pages = [
        "/": "index.html", "/multiview": "multiview.html", "/program": "program.html",
        "/remote": "remote.html", "/phone": "phone.html",
    ]
    private static let types = [
        ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
    ]
    /// Files by name.
    static let all: [String: [UInt8]] = {
        let files = (0..<page_file_count).map { page_file_at($0).pointee }
        return Dictionary(
            files.map {
                (String(cString: $0.name), Array(UnsafeBufferPointer(start: $0.bytes, count: $0.count)))
            },
            uniquingKeysWith: { first, _ in first })
    }()
}

internal import CPage
internal import FoundationEssentials
internal import Media
internal import Studio

/// Handles HTTP requests. An answer may have to wait for the recorder, the supervisor, a picture, or a recorded file.
/// Used only on the web loop's thread.
final class HTTPRequestHandler {
    private let board: RecorderTracker
    private let recorder: RecorderLink
    private let commands: CommandSender
    private let supervisor: SupervisorLink
    private let pictures: PictureRegistry
    /// Access policy, already applied to each request.
    var guardian: WebGuard
    private let recordings: RecordingRequestHandler
    private let jobs: JobList
    private let phones: PhoneRegistry

    /// Files being sent, by ticket of their requests.
    private var files: [Int: FileAnswer] = [:]
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
        _ board: RecorderTracker, _ recorder: RecorderLink, _ commands: CommandSender,
        _ supervisor: SupervisorLink, _ pictures: PictureRegistry, _ recordings: RecordingRequestHandler,
        _ jobs: JobList, _ phones: PhoneRegistry, _ guardian: WebGuard
    ) {
        (self.board, self.recorder, self.commands) = (board, recorder, commands)
        (self.supervisor, self.pictures, self.guardian) = (supervisor, pictures, guardian)
        (self.recordings, self.jobs, self.phones) = (recordings, jobs, phones)
    }

    /// Answers a request that has passed the access policy.
    func respond(_ request: WebRequest) {
        guard !request.isAnswered else { return }
        switch (request.head.method, request.head.path) {
        case ("POST", "/api/v1/login"): answer(request, login)
        case ("GET", "/api/v1/status"):
            let status = WebJSON.text(board.status.fields)
            answer(request, board.isThere ? WebAnswer(200, json: status) : board.nobody)
        case ("GET", "/api/v1/tally"): answer(request, WebAnswer(200, json: board.status.tally))
        case ("GET", "/api/v1/layers"): layers(request)
        case ("POST", "/api/v1/command"): command(request)
        case ("GET", "/api/v1/jobs"): answer(request, WebAnswer(200, json: jobs.all))
        case ("GET", "/api/v1/phones"):
            answer(
                request,
                phones.json.map { WebAnswer(200, json: $0) }
                    ?? WebAnswer(503, saying: "The control room is starting."))
        case (_, let path) where ControlsOrder.role(of: path) != nil: controls(request)
        case ("GET", let path) where path.hasPrefix("/api/v1/recordings/"): recording(request)
        case (_, let path) where path.hasPrefix("/api/") && !WebGuard.isPicture(path): order(request)
        case ("GET", _) where WebGuard.isPicture(request.head.path): picture(request)
        case ("GET", _), ("HEAD", _):
            guard let asset = PageAsset.at(request.head.path) else {
                return answer(request, WebAnswer(404, saying: "Page not found."))
            }
            answer(request, WebAnswer(200, asset.type, Data(asset.bytes)))
        default:
            answer(
                request,
                WebAnswer(
                    405,
                    saying:
                        "The method \(request.head.method.printable(limit: 20)) is not supported at this address."
                )
            )
        }
    }

    private func answer(_ request: WebRequest, _ answer: WebAnswer) {
        var answer = answer
        answer.headers.merge(guardian.headers) { mine, _ in mine }
        request.answer(answer)
    }

    private var login: WebAnswer {
        struct Entry: Encodable {
            let ok = true
            let read_token: AccessToken
        }
        var answer = WebAnswer(200, json: WebJSON.text(Entry(read_token: guardian.readToken)))
        let secure = guardian.isEncrypted ? "; Secure" : ""
        answer.headers["Set-Cookie"] =
            "\(guardian.cookieName)=\(guardian.token.text); Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000\(secure)"
        return answer
    }

    private func layers(_ request: WebRequest) {
        guard let arrangement = board.status.arrangement else {
            return answer(request, WebAnswer(404, saying: "This session does not have a program."))
        }
        guard let layers = ProposedLayers(request.head.query, in: arrangement) else {
            return answer(
                request,
                WebAnswer(
                    400,
                    saying:
                        "Invalid request: expected layout=LAYOUT&show=ROLE,ROLE, and optionally corner and scale, as in a profile."
                ))
        }
        answer(request, WebAnswer(200, json: WebJSON.text(layers)))
    }

    private func picture(_ request: WebRequest) {
        let width = request.head.query["width"].flatMap { Int($0) } ?? 1920
        guard let wish = RequestedPicture(request.head.path, width: width),
            wish.role.map({ board.status.cameras.contains($0) }) ?? board.status.hasProgram
        else {
            return answer(
                request,
                WebAnswer(
                    404,
                    saying:
                        "Picture not found. Expected /api/v1/cameras/ROLE.jpg, /api/v1/program.jpg, or one of these paths with .mjpg."
                ))
        }
        var headers = guardian.headers
        // Any user who has the token may embed the picture in another web page.
        if request.head.query["token"] != nil { headers["Cross-Origin-Resource-Policy"] = "cross-origin" }
        if let refusal = pictures.begin(request, wish, headers) { answer(request, refusal) }
    }

    // MARK: Asynchronous requests

    private func command(_ request: WebRequest) {
        guard let words = CommandSender.words(request.body) else {
            return answer(
                request,
                WebAnswer(
                    400,
                    saying:
                        #"Invalid request: expected {"command":"swap"}, with a command of `multicam ctl` as the value."#
                ))
        }
        guard let process = recorder.process else { return answer(request, board.nobody) }
        if let ticket = wait(request) { commands.send(words, to: process, ticket: ticket) }
    }

    private func controls(_ request: WebRequest) {
        let role = ControlsOrder.role(of: request.head.path) ?? ""
        let order: ControlsOrder?
        switch request.head.method {
        case "GET": order = ControlsOrder(role: role)
        case "POST": order = ControlsOrder(role: role, request.body)
        default:
            return answer(request, WebAnswer(405, saying: "Only GET and POST are supported for controls."))
        }
        guard let process = recorder.process else { return answer(request, board.nobody) }
        guard board.status.cameras.contains(role) else {
            return answer(
                request, WebAnswer(404, saying: "This session does not have a camera with this role."))
        }
        guard let order else {
            return answer(
                request,
                WebAnswer(
                    400,
                    saying:
                        #"Invalid request: expected one of {"set":{"gain":24}}, {"load":"evening"}, {"save":"evening"}, {"delete":"evening"}, {"match":"host"}."#
                ))
        }
        if let ticket = wait(request) {
            commands.send(order.words, to: process, ticket: ticket, wantsControls: true)
        }
    }

    private func order(_ request: WebRequest) {
        do throws(PageOrder.Fault) {
            order(try PageOrder(request.head) { request.body }, request)
        } catch {
            let sentence =
                switch error {
                case .body:
                    "Invalid request. For the supported fields, see docs/reference/control-room.md."
                case .address: "Page not found."
                case .method:
                    "The method \(request.head.method.printable(limit: 20)) is not supported at this address."
                }
            answer(request, WebAnswer(error.rawValue, saying: sentence))
        }
    }

    private func order(_ order: PageOrder, _ request: WebRequest) {
        guard let ticket = wait(request) else { return }
        var line = SupervisorLine()
        var told = SupervisorLine.Order(
            ticket: ticket, task: order.task, name: order.name, text: order.text)
        (told.command, told.options, told.job) = (order.command, order.options, order.job)
        line.order = told
        supervisor.say(line)
    }

    /// Pauses a request until its answer is available.
    private func wait(_ request: WebRequest) -> Int? {
        guard tickets.count < Self.mostTickets else {
            answer(request, WebAnswer(503, saying: "Too many requests are in progress. Try again."))
            return nil
        }
        lastTicket += 1
        tickets[lastTicket] = request
        request.pause()
        return lastTicket
    }

    /// Answers a paused request.
    func finish(_ ticket: Int, _ result: WebAnswer) {
        guard let request = tickets.removeValue(forKey: ticket) else { return }
        answer(request, result)
        request.resume()
    }

    /// Handles the supervisor's result.
    func take(_ result: SupervisorLine.Result) {
        finish(
            result.ticket,
            result.status == 200
                ? WebAnswer(200, json: result.output) : WebAnswer(result.status, saying: result.output))
    }

    // MARK: Recordings

    private func recording(_ request: WebRequest) {
        do throws(RecordingRefusal) {
            guard let wish = try RequestedRecording.read(request.head) else { return order(request) }
            if let ticket = wait(request) { recordings.fulfill(wish, ticket: ticket) }
        } catch {
            answer(request, WebAnswer(error.status, saying: error.text))
        }
    }

    /// Starts sending an opened file, or answers with the reason why it can't be opened.
    func send(_ outcome: Result<RecordedFile, RecordingRefusal>, _ ticket: Int) {
        switch outcome {
        case .failure(let refusal): finish(ticket, WebAnswer(refusal.status, saying: refusal.text))
        case .success(let file):
            // Players request many parts per second, so remove finished transfers before counting.
            files = files.filter { !$0.value.isFinished }
            guard files.count < Self.mostFiles else {
                return finish(
                    ticket, WebAnswer(503, saying: "Too many file transfers are in progress. Try again."))
            }
            guard let request = tickets.removeValue(forKey: ticket) else { return }
            files[ticket] = FileAnswer(request, file, number: ticket, headers: guardian.headers) {
                [recordings] file, count, offset in
                recordings.read(file, count, at: offset, for: ticket)
            }
        }
    }

    /// Forwards bytes of a file that is being sent; `nil` if they couldn't be read.
    func take(_ bytes: Data?, ofFile number: Int) { files[number]?.take(bytes) }

    /// Closes stalled transfers, and removes finished ones.
    func endLateFiles(at now: ClockTime) {
        for file in files.values { file.endIfLate(at: now) }
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

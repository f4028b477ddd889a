internal import FoundationEssentials
internal import Media
internal import Studio

/// Answers requests: at once, when the recorder or the supervisor has answered, with a picture, or with a recorded file. Belongs to the
/// thread of the web loop.
final class RequestDesk {
    private let board: RecorderBoard
    private let recorder: RecorderLink
    private let commands: CommandDesk
    private let supervisor: SupervisorLink
    private let pictures: PictureBoard
    /// Decides who may ask for what; it has looked at each request before.
    var guardian: WebGuard
    private let recordings: RecordingDesk
    private let jobs: JobList
    private let phones: PhoneBoard

    /// Files that are being sent, by the tickets of their requests.
    private var files: [Int: FileAnswer] = [:]
    private var tickets: [Int: WebRequest] = [:]
    private var lastTicket = 0

    private static let mostTickets = 128
    private static let mostFiles = 16

    /// Creates a desk.
    ///
    /// - Parameters:
    ///   - board: What is known of the recorder.
    ///   - recorder: Whom commands go to.
    ///   - commands: Hands them over.
    ///   - supervisor: Does what needs other programs.
    ///   - pictures: Answers requests for pictures.
    ///   - recordings: Reads recordings.
    ///   - jobs: The jobs that the supervisor does.
    ///   - phones: The phones that are cameras.
    ///   - guardian: Decides who may ask for what.
    init(
        _ board: RecorderBoard, _ recorder: RecorderLink, _ commands: CommandDesk,
        _ supervisor: SupervisorLink, _ pictures: PictureBoard, _ recordings: RecordingDesk,
        _ jobs: JobList, _ phones: PhoneBoard, _ guardian: WebGuard
    ) {
        (self.board, self.recorder, self.commands) = (board, recorder, commands)
        (self.supervisor, self.pictures, self.guardian) = (supervisor, pictures, guardian)
        (self.recordings, self.jobs, self.phones) = (recordings, jobs, phones)
    }

    /// Answers a request that may be asked.
    func respond(_ request: WebRequest) {
        guard !request.isAnswered else { return }
        switch (request.head.method, request.head.path) {
        case ("POST", "/api/v1/login"): answer(request, login)
        case ("GET", "/api/v1/status"):
            let status = WebJSON.text(board.status.fields)
            answer(request, board.isThere ? WebAnswer(200, json: status) : board.nobody)
        case ("GET", "/api/v1/tally"): answer(request, WebAnswer(200, json: board.status.tally))
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
                return answer(request, WebAnswer(404, saying: "Nothing is at this address."))
            }
            answer(request, WebAnswer(200, asset.type, Data(asset.bytes)))
        default:
            answer(
                request,
                WebAnswer(
                    405, saying: "Nothing at this address takes \(request.head.method.printable(limit: 20)).")
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

    private func picture(_ request: WebRequest) {
        let width = request.head.query["width"].flatMap { Int($0) } ?? 1920
        guard let wish = PictureWish(request.head.path, width: width),
            wish.role.map({ board.status.cameras.contains($0) }) ?? board.status.hasProgram
        else {
            return answer(
                request,
                WebAnswer(
                    404,
                    saying: "No such picture: /api/v1/cameras/ROLE.jpg, .mjpg, /api/v1/program.jpg, .mjpg."))
        }
        var headers = guardian.headers
        // Whoever has the token may show the picture on a page of their own.
        if request.head.query["token"] != nil { headers["Cross-Origin-Resource-Policy"] = "cross-origin" }
        if let refusal = pictures.begin(request, wish, headers) { answer(request, refusal) }
    }

    // MARK: What takes a while

    private func command(_ request: WebRequest) {
        guard let words = CommandDesk.words(request.body) else {
            return answer(
                request,
                WebAnswer(
                    400,
                    saying:
                        #"The request is not understood: expected {"command":"swap"}, with the words of `multicam ctl`."#
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
        default: return answer(request, WebAnswer(405, saying: "Controls are asked for, or set by POST."))
        }
        guard let process = recorder.process else { return answer(request, board.nobody) }
        guard board.status.cameras.contains(role) else {
            return answer(request, WebAnswer(404, saying: "There is no such camera in this session."))
        }
        guard let order else {
            return answer(
                request,
                WebAnswer(
                    400,
                    saying:
                        #"The request is not understood: expected one of {"set":{"gain":24}}, {"load":"evening"}, {"save":"evening"}, {"forget":"evening"}, {"match":"host"}."#
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
                    "The request is not understood: docs/reference/control-room.md tells which fields it has."
                case .address: "Nothing is at this address."
                case .method:
                    "Nothing at this address takes \(request.head.method.printable(limit: 20))."
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

    /// Lets a request wait for its answer.
    private func wait(_ request: WebRequest) -> Int? {
        guard tickets.count < Self.mostTickets else {
            answer(request, WebAnswer(503, saying: "Too many requests are under way: ask again."))
            return nil
        }
        lastTicket += 1
        tickets[lastTicket] = request
        request.pause()
        return lastTicket
    }

    /// Answers a request that waits.
    func finish(_ ticket: Int, _ result: WebAnswer) {
        guard let request = tickets.removeValue(forKey: ticket) else { return }
        answer(request, result)
        request.resume()
    }

    /// Takes what became of an order.
    func take(_ result: SupervisorLine.Result) {
        finish(
            result.ticket,
            result.status == 200
                ? WebAnswer(200, json: result.output) : WebAnswer(result.status, saying: result.output))
    }

    // MARK: Recordings

    private func recording(_ request: WebRequest) {
        do throws(RecordingRefusal) {
            guard let wish = try RecordingWish.read(request.head) else { return order(request) }
            if let ticket = wait(request) { recordings.fulfil(wish, ticket: ticket) }
        } catch {
            answer(request, WebAnswer(error.status, saying: error.text))
        }
    }

    /// Begins to send a file that was opened, or says why it cannot be.
    func send(_ outcome: Result<RecordedFile, RecordingRefusal>, _ ticket: Int) {
        switch outcome {
        case .failure(let refusal): finish(ticket, WebAnswer(refusal.status, saying: refusal.text))
        case .success(let file):
            // A player asks for many parts in a second: what is sent already has no place.
            files = files.filter { !$0.value.isFinished }
            guard files.count < Self.mostFiles else {
                return finish(ticket, WebAnswer(503, saying: "Too many files are under way: ask again."))
            }
            guard let request = tickets.removeValue(forKey: ticket) else { return }
            files[ticket] = FileAnswer(request, file, number: ticket, headers: guardian.headers) {
                [recordings] file, count, offset in
                recordings.read(file, count, at: offset, for: ticket)
            }
        }
    }

    /// Takes bytes of a file that is being sent; `nil` when they cannot be read.
    func take(_ bytes: Data?, ofFile number: Int) { files[number]?.take(bytes) }

    /// Ends the files that nobody reads, and forgets those that are sent.
    func endLateFiles(at now: ClockTime) {
        for file in files.values { file.endIfLate(at: now) }
        files = files.filter { !$0.value.isFinished }
    }
}

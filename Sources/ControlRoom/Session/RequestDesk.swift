internal import Foundation
internal import Media
internal import Studio

/// Answers requests: at once, when the recorder or the supervisor has answered, or with a picture. Belongs to the thread of the web loop.
final class RequestDesk {
    private let board: RecorderBoard
    private let recorder: RecorderLink
    private let commands: CommandDesk
    private let supervisor: SupervisorLink
    private let pictures: PictureBoard
    /// Decides who may ask for what; it has looked at each request before.
    var guardian: WebGuard
    /// Told of jobs, as messages for all pages.
    var tell: ([String: Any]) -> Void = { _ in }

    private var tickets: [Int: WebRequest] = [:]
    private var lastTicket = 0
    /// What is done for pages and takes long, by its number.
    private var jobs: [Int: PageOrder] = [:]

    private static let mostTickets = 128
    private static let mostJobs = 4

    /// Creates a desk.
    ///
    /// - Parameters:
    ///   - board: What is known of the recorder.
    ///   - recorder: Whom commands go to.
    ///   - commands: Hands them over.
    ///   - supervisor: Does what needs other programs.
    ///   - pictures: Answers requests for pictures.
    ///   - guardian: Decides who may ask for what.
    init(
        _ board: RecorderBoard, _ recorder: RecorderLink, _ commands: CommandDesk,
        _ supervisor: SupervisorLink,
        _ pictures: PictureBoard, _ guardian: WebGuard
    ) {
        (self.board, self.recorder, self.commands) = (board, recorder, commands)
        (self.supervisor, self.pictures, self.guardian) = (supervisor, pictures, guardian)
    }

    /// Answers a request that may be asked.
    func respond(_ request: WebRequest) {
        guard !request.isAnswered else { return }
        switch (request.head.method, request.head.path) {
        case ("POST", "/api/v1/login"): answer(request, login)
        case ("GET", "/api/v1/status"):
            let status = WebJSON.text(of: board.status.fields)
            answer(request, board.isThere ? WebAnswer(200, json: status) : board.nobody)
        case ("GET", "/api/v1/tally"): answer(request, WebAnswer(200, json: board.status.tally))
        case ("POST", "/api/v1/command"): command(request)
        case ("POST", "/api/v1/start"):
            var line = SupervisorLine()
            line.start = true
            supervisor.say(line)
            answer(request, WebAnswer(200, json: #"{"ok":true}"#))
        case (_, let path) where path.hasPrefix("/api/") && !WebGuard.isPicture(path):
            guard let order = PageOrder(request.head, { request.body }) else {
                return answer(request, WebAnswer(404, saying: "Nothing is at this address."))
            }
            self.order(order, request)
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
        if let refusal = pictures.begin(request, wish, guardian.headers) { answer(request, refusal) }
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

    private func order(_ order: PageOrder, _ request: WebRequest) {
        if order.isJob { return start(order, request) }
        guard let ticket = wait(request) else { return }
        say(order, ticket)
    }

    private func say(_ order: PageOrder, _ ticket: Int) {
        var line = SupervisorLine()
        line.order = SupervisorLine.Order(
            ticket: ticket, task: order.task, name: order.name, text: order.text)
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
        guard let job = jobs.removeValue(forKey: result.ticket) else {
            return finish(
                result.ticket,
                result.ok ? WebAnswer(200, json: result.output) : WebAnswer(409, saying: result.output))
        }
        let told = WebJSON.object(result.output)
        tell(
            job: result.ticket, job,
            [
                "done": true, "progress": 1, "ok": result.ok && told?["ok"] as? Bool ?? false,
                "text": (told?["text"] as? String ?? result.output),
            ])
    }

    // MARK: Jobs

    /// Answers a job's number at once; all pages are told when it is done.
    private func start(_ order: PageOrder, _ request: WebRequest) {
        guard jobs.count < Self.mostJobs else {
            return answer(request, WebAnswer(503, saying: "Too many jobs are under way: ask again."))
        }
        lastTicket += 1
        jobs[lastTicket] = order
        answer(request, WebAnswer(200, json: WebJSON.text(of: ["ok": true, "job": lastTicket])))
        tell(job: lastTicket, order, ["done": false, "ok": true, "text": ""])
        say(order, lastTicket)
    }

    private func tell(job: Int, _ order: PageOrder, _ fields: [String: Any]) {
        let base: [String: Any] = [
            "type": "job", "job": job, "command": order.task.rawValue,
            "folder": (order.name ?? "").printable(),
        ]
        tell(base.merging(fields) { _, new in new })
    }
}

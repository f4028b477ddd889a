import Foundation
import Media
import SessionFolder
import Testing

@testable import ControlRoom
@testable import Studio

@Suite("What a phone kept of a recording, on its way")
struct PhoneUploadsTests {
    private static let kept = "0123456789abcdef"

    /// A phone that has been let in, and what it is told.
    private final class Told {
        var texts: [String] = []
    }

    private static func phone(_ told: Told) -> PhoneLink {
        PhoneLink(
            PhoneLink.Wire(
                send: { told.texts.append($0) }, close: {}, disconnect: {}, endIfStalled: { _ in }),
            at: ClockTime(nanoseconds: 0))
    }

    private static func question(_ session: String = "talk", bytes: Int64 = 10) throws
        -> PhoneUploads.Question
    {
        try #require(
            PhoneUploads.Question(
                #"{"type":"stored","session":"\#(session)","role":"guest","kept":"\#(kept)","bytes":\#(bytes)}"#
            ))
    }

    @Test("the supervisor gets one piece of a phone at a time, and the phone hears what became of it")
    func passesOn() throws {
        var lines: [SupervisorLine] = []
        let uploads = PhoneUploads { lines.append($0) }
        let (told, other) = (Told(), Told())
        let (phone, second) = (Self.phone(told), Self.phone(other))
        uploads.send(try Self.question(), of: "phone:anna", from: phone)
        uploads.send(try Self.question(), of: "phone:anna", from: phone, at: 4, SharedBytes([1, 2]))
        uploads.send(try Self.question(), of: "phone:ben", from: second, at: 4, SharedBytes([1, 2]))
        #expect(lines.count == 2)
        let order = try #require(lines.last?.order)
        #expect(order.task == .store && order.name == "talk" && order.ticket < 0)
        #expect(
            order.piece?.device == "phone:ben" && order.piece?.offset == 4 && order.piece?.bytes == "AQI=")
        let first = try #require(lines.first?.order?.ticket)
        #expect(
            uploads.take(
                SupervisorLine.Result(ticket: first, status: 200, output: #"{"offset":6,"done":false}"#)))
        #expect(
            uploads.take(
                SupervisorLine.Result(ticket: order.ticket, status: 409, output: "It still\u{1B} runs.")))
        #expect(
            told.texts.count == 1 && told.texts[0].contains(#""offset":6"#)
                && told.texts[0].contains(Self.kept))
        #expect(
            other.texts.count == 1 && other.texts[0].contains("It still")
                && !other.texts[0].contains("\u{1B}"))
        // Requests of pages have other numbers; a phone that has left is told nothing.
        #expect(!uploads.take(SupervisorLine.Result(ticket: 3, status: 200, output: "{}")))
        uploads.send(try Self.question(), of: "phone:anna", from: phone)
        uploads.forget(phone)
        let late = try #require(lines.last?.order?.ticket)
        #expect(uploads.take(SupervisorLine.Result(ticket: late, status: 200, output: "{}")))
        #expect(told.texts.count == 1)
    }

    /// An output folder with a recording `talk`, in which `phone:anna` was the camera `guest`.
    private static func desk(outcome: String = "finished") throws -> (StudioDesk, URL) {
        let output = FileManager.default.temporaryDirectory.appending(path: "uploads-\(UUID().uuidString)")
        let session = output.appending(path: "talk")
        try FileManager.default.createDirectory(
            at: session.appending(path: "cameras"), withIntermediateDirectories: true)
        let clock = #"{"ppm":0,"jitter_us":0,"residual_us":0,"locked":true,"restarts":0,"non_monotonic":0}"#
        try Data(
            #"""
            {"schema":1,"multicam":"0","profile":"p","started":"2026-11-21T14:23:10.000000000+01:00","t0_monotonic_ns":1,
            "duration_ns":1000000000,"alignment_delay_ns":1,"outcome":"\#(outcome)","tracks":[],"governor":[],"marks":[],"gaps":[],
            "machine":{"host":"h","system":"s","processors":1},
            "devices":[{"role":"guest","kind":"camera","identity":"phone:anna","name":"phone:anna","clock":\#(clock),"format":{"rate":30}}]}
            """#.utf8
        ).write(to: session.appending(path: "manifest.json"))
        let plan = StudioPlan(
            program: "/bin/false", webProgram: "/bin/false", choice: [], output: output.path,
            address: "127.0.0.1",
            port: 0, isEncrypted: false, certificate: nil, stateFolder: output.path, profileFolder: nil,
            recorder: nil)
        return (StudioDesk(plan: plan), session)
    }

    private static func piece(
        _ bytes: [UInt8], at offset: Int64 = 0, total: Int64 = 6, device: String = "phone:anna",
        role: String = "guest",
        id: String = kept
    ) -> PhonePiece {
        PhonePiece(
            device: device, role: role, id: id, total: total, offset: offset,
            bytes: Data(bytes).base64EncodedString())
    }

    @Test("pieces are appended where they fit, so that an upload goes on where it ended")
    func appends() throws {
        let (desk, session) = try Self.desk()
        let file = session.appending(path: "cameras/guest-phone-\(Self.kept).part")
        #expect(desk.store(Self.piece([]), of: "talk").output == #"{"done":false,"offset":0}"#)
        #expect(desk.store(Self.piece([1, 2, 3]), of: "talk").output == #"{"done":false,"offset":3}"#)
        // Twice, and one that leaves a hole: what is there counts.
        #expect(desk.store(Self.piece([1, 2, 3]), of: "talk").output == #"{"done":false,"offset":3}"#)
        #expect(desk.store(Self.piece([9], at: 5), of: "talk").output == #"{"done":false,"offset":3}"#)
        #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
        // The last one: now it would be made a file, by a program that fails here.
        #expect(desk.store(Self.piece([4, 5, 6], at: 3), of: "talk").status == 409)
        #expect(try Data(contentsOf: file) == Data([1, 2, 3, 4, 5, 6]))
        try FileManager.default.removeItem(at: session.deletingLastPathComponent())
    }

    @Test("what a phone has thrown away leaves nothing in the recording, and nothing else is deleted")
    func discards() throws {
        let (desk, session) = try Self.desk()
        let folder = session.appending(path: "cameras").path
        let other = String(Self.kept.reversed())
        for id in [Self.kept, other] {
            #expect(desk.store(Self.piece([1, 2, 3], id: id), of: "talk").status == 200)
        }
        var piece = Self.piece([])
        piece.isDiscarded = true
        for _ in 0..<2 { #expect(desk.store(piece, of: "talk").output == #"{"done":true,"offset":0}"#) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["guest-phone-\(other).part"])
        piece.device = "phone:eve"
        piece.id = other
        #expect(desk.store(piece, of: "talk").status == 404)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
        try FileManager.default.removeItem(at: session.deletingLastPathComponent())
    }

    @Test(
        "nothing is written outside the recordings of which the phone was a camera, nor beyond what it said")
    func refuses() throws {
        let (desk, session) = try Self.desk()
        let wrong: [(PhonePiece?, String?, Int)] = [
            (nil, "talk", 400), (Self.piece([1]), "../talk", 404), (Self.piece([1]), nil, 404),
            (Self.piece([1]), "other", 404), (Self.piece([1], role: "../x"), "talk", 400),
            (Self.piece([1], id: "a/b"), "talk", 400), (Self.piece([1], device: "phone:eve"), "talk", 404),
            (Self.piece([1], role: "host"), "talk", 404), (Self.piece([1, 2], total: 1), "talk", 400),
            (Self.piece([1], at: -1), "talk", 400), (Self.piece([1], total: .max), "talk", 400),
            (Self.piece([1], at: .max, total: 1 << 30), "talk", 400),
        ]
        for (piece, folder, status) in wrong {
            let outcome = desk.store(piece, of: folder)
            #expect(outcome.status == status && outcome.output.hasSuffix("."), "\(outcome)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: session.path + "/cameras").isEmpty)
        try FileManager.default.removeItem(at: session.deletingLastPathComponent())
        let (running, folder) = try Self.desk(outcome: "recording")
        #expect(running.store(Self.piece([1]), of: "talk").status == 409)
        try FileManager.default.removeItem(at: folder.deletingLastPathComponent())
    }
}

import Foundation
import MulticamMedia
import MulticamSessionFolder
import Testing

@testable import MulticamControlRoom
@testable import MulticamStudio

@Suite("Uploads of local phone recordings")
struct PhoneUploadsTests {
    private static let storageID = "0123456789abcdef"
    private static let key = String(repeating: "a1", count: 32)
    private static let otherKey = String(repeating: "b2", count: 32)
    private static let anna = PhoneIdentity(device: "phone:anna", key: key)

    /// An admitted phone and the messages sent to it.
    private final class SentMessages {
        var texts: [String] = []
    }

    private static func phone(_ told: SentMessages) -> PhoneConnection {
        PhoneConnection(
            PhoneConnection.Transport(
                send: { told.texts.append($0) }, close: {}, disconnect: {}, endIfStalled: { _ in }),
            at: ClockTime(nanoseconds: 0))
    }

    private static func question(_ session: String = "talk", bytes: Int64 = 10) throws
        -> PhoneUploads.LocalRecording
    {
        try #require(
            PhoneUploads.LocalRecording(
                #"{"type":"stored","session":"\#(session)","role":"guest","kept":"\#(storageID)","bytes":\#(bytes)}"#
            ))
    }

    @Test("the supervisor receives one piece per phone at a time, and the phone receives the result")
    func passesOn() throws {
        var lines: [SupervisorMessage] = []
        let uploads = PhoneUploads { lines.append($0) }
        let (told, other) = (SentMessages(), SentMessages())
        let (phone, second) = (Self.phone(told), Self.phone(other))
        uploads.send(try Self.question(), of: Self.anna, from: phone)
        uploads.send(try Self.question(), of: Self.anna, from: phone, at: 4, SharedBytes([1, 2]))
        uploads.send(
            try Self.question(), of: PhoneIdentity(device: "phone:ben", key: Self.otherKey), from: second,
            at: 4, SharedBytes([1, 2]))
        #expect(lines.count == 2)
        let order = try #require(lines.last?.order)
        #expect(order.task == .store && order.name == "talk" && order.ticket < 0)
        #expect(
            order.piece?.device == "phone:ben" && order.piece?.offset == 4 && order.piece?.bytes == "AQI=")
        let first = try #require(lines.first?.order?.ticket)
        #expect(
            uploads.handle(
                SupervisorMessage.Result(ticket: first, status: 200, output: #"{"offset":6,"done":false}"#)))
        #expect(
            uploads.handle(
                SupervisorMessage.Result(ticket: order.ticket, status: 409, output: "It still\u{1B} runs.")))
        #expect(
            told.texts.count == 1 && told.texts[0].contains(#""offset":6"#)
                && told.texts[0].contains(Self.storageID))
        #expect(
            other.texts.count == 1 && other.texts[0].contains("It still")
                && !other.texts[0].contains("\u{1B}"))
        // Requests of pages have other ticket numbers, and a disconnected phone receives nothing.
        #expect(!uploads.handle(SupervisorMessage.Result(ticket: 3, status: 200, output: "{}")))
        uploads.send(try Self.question(), of: Self.anna, from: phone)
        uploads.cancelRequests(of: phone)
        let late = try #require(lines.last?.order?.ticket)
        #expect(uploads.handle(SupervisorMessage.Result(ticket: late, status: 200, output: "{}")))
        #expect(told.texts.count == 1)
    }

    /// An output folder with the recording `talk`, which used the phone `anna` as the camera `guest`.
    private static func makeRequestHandler(outcome: String = "finished", isClaimed: Bool = true) throws -> (
        StudioRequestHandler, URL
    ) {
        let output = FileManager.default.temporaryDirectory.appending(path: "uploads-\(UUID().uuidString)")
        let session = output.appending(path: "talk")
        try FileManager.default.createDirectory(
            at: session.appending(path: "cameras"), withIntermediateDirectories: true)
        let clock = #"{"ppm":0,"jitter_us":0,"residual_us":0,"locked":true,"restarts":0,"non_monotonic":0}"#
        try Data(
            #"""
            {"schema":1,"multicam":"0","profile":"p","started":"2026-11-21T14:23:10.000000000+01:00","t0_monotonic_ns":1,
            "duration_ns":1000000000,"alignment_delay_ns":1,"outcome":"\#(outcome)","tracks":[],"governor":[],"markers":[],"gaps":[],
            "machine":{"host":"h","system":"s","processors":1},
            "devices":[{"role":"guest","kind":"camera","identity":"phone:anna","name":"phone:anna","clock":\#(clock),"format":{"rate":30}}]}
            """#.utf8
        ).write(to: session.appending(path: "manifest.json"))
        let plan = StudioPlan(
            program: "/bin/false", webProgram: "/bin/false", choice: [], output: output.path,
            address: "127.0.0.1",
            port: 0, isEncrypted: false, certificate: nil, stateFolder: output.path, profileFolder: nil,
            recorder: nil)
        let desk = StudioRequestHandler(plan: plan)
        if isClaimed { #expect(desk.claim(anna, in: "talk").status == 200) }
        return (desk, session)
    }

    private static func piece(
        _ bytes: [UInt8], at offset: Int64 = 0, total: Int64 = 6, device: String = "phone:anna",
        key: String = key, role: String = "guest", id: String = storageID
    ) -> PhonePiece {
        PhonePiece(
            device: device, key: key, role: role, id: id, total: total, offset: offset,
            bytes: Data(bytes).base64EncodedString())
    }

    @Test("pieces are appended only at the current end, so that an upload can resume")
    func appends() throws {
        let (desk, session) = try Self.makeRequestHandler()
        let file = session.appending(path: "cameras/guest-phone-\(Self.storageID).part")
        #expect(desk.store(Self.piece([]), of: "talk").output == #"{"done":false,"offset":0}"#)
        #expect(desk.store(Self.piece([2], at: 1), of: "talk").output == #"{"done":false,"offset":0}"#)
        #expect(!FileManager.default.fileExists(atPath: file.path), "a question creates no file")
        #expect(desk.store(Self.piece([1, 2, 3]), of: "talk").output == #"{"done":false,"offset":3}"#)
        // One piece is repeated, and one would leave a gap. Both requests return the current size.
        #expect(desk.store(Self.piece([1, 2, 3]), of: "talk").output == #"{"done":false,"offset":3}"#)
        #expect(desk.store(Self.piece([9], at: 5), of: "talk").output == #"{"done":false,"offset":3}"#)
        #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
        // After the last piece, the upload is converted into a file by a program that fails here.
        #expect(desk.store(Self.piece([4, 5, 6], at: 3), of: "talk").status == 409)
        #expect(try Data(contentsOf: file) == Data([1, 2, 3, 4, 5, 6]))
        try FileManager.default.removeItem(at: session.deletingLastPathComponent())
    }

    @Test("a discarded upload is removed from the recording, and nothing else is deleted")
    func discards() throws {
        let (desk, session) = try Self.makeRequestHandler()
        let folder = session.appending(path: "cameras").path
        let other = String(Self.storageID.reversed())
        for id in [Self.storageID, other] {
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
        "nothing is written outside of the phone's recordings, or beyond the announced size")
    func refuses() throws {
        let (desk, session) = try Self.makeRequestHandler()
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
        let (running, folder) = try Self.makeRequestHandler(outcome: "recording")
        #expect(running.store(Self.piece([1]), of: "talk").status == 409)
        try FileManager.default.removeItem(at: folder.deletingLastPathComponent())
    }

    @Test(
        "a phone with another key can neither extend nor delete another phone's uploads, even after a restart"
    )
    func otherKeys() throws {
        let (before, session) = try Self.makeRequestHandler(isClaimed: false)
        defer { removeFolder(of: session) }
        #expect(before.store(Self.piece([1]), of: "talk").status == 404, "nobody was the camera yet")
        #expect(before.claim(Self.anna, in: "talk").status == 200)
        #expect(before.store(Self.piece([1, 2, 3]), of: "talk").status == 200)
        // The web process and the studio are restarted, so the phone names are free.
        let desk = StudioRequestHandler(plan: before.plan)
        let other = PhoneIdentity(device: "phone:anna", key: Self.otherKey)
        let refused = desk.claim(other, in: "talk")
        #expect(refused.status == 403 && refused.output.contains("Another phone"))
        var pieces = [
            Self.piece([9], key: Self.otherKey), Self.piece([], key: Self.otherKey),
            Self.piece([4, 5, 6], at: 3, key: Self.otherKey),
            Self.piece([1], key: Self.otherKey, id: "another"),
        ]
        pieces.append(Self.piece([], key: Self.otherKey))
        pieces[4].isDiscarded = true
        for piece in pieces { #expect(desk.store(piece, of: "talk").status == 404) }
        let cameras = session.path + "/cameras"
        let parts = try FileManager.default.contentsOfDirectory(atPath: cameras)
        #expect(parts == ["guest-phone-\(Self.storageID).part"])
        #expect(try Data(contentsOf: URL(filePath: cameras + "/" + parts[0])) == Data([1, 2, 3]))
        // The owner can continue.
        #expect(desk.claim(Self.anna, in: "talk").status == 200)
        #expect(desk.store(Self.piece([4], at: 3), of: "talk").output == #"{"done":false,"offset":4}"#)
    }

    @Test(
        "the owner file of a recording contains a hash, is readable only by this user, and is never replaced"
    )
    func ownerFiles() throws {
        let (desk, session) = try Self.makeRequestHandler()
        defer { removeFolder(of: session) }
        let folder = session.deletingLastPathComponent().path + "/phones"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 1 && names[0].hasSuffix("_anna"))
        let path = folder + "/" + names[0]
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(path) == 0o600 && mode(folder) == 0o700)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == Self.key)
        #expect(desk.claim(PhoneIdentity(device: "phone:anna", key: Self.otherKey), in: "talk").status == 403)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == Self.key)
        for phone in [
            PhoneIdentity(device: "phone:../anna", key: Self.key),
            PhoneIdentity(device: "/dev/video0", key: Self.key),
            PhoneIdentity(device: "phone:ben", key: ""), PhoneIdentity(device: "phone:ben", key: "../x"),
        ] {
            #expect(desk.claim(phone, in: "talk").status == 403)
        }
        #expect(
            desk.claim(Self.anna, in: "../talk").status == 404 && desk.claim(nil, in: "talk").status == 404)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    }

    @Test("uploads of a recording are limited in number and size")
    func bounds() throws {
        let (desk, session) = try Self.makeRequestHandler()
        defer { removeFolder(of: session) }
        for number in 0..<32 {
            #expect(desk.store(Self.piece([1], id: "kept\(number)"), of: "talk").status == 200)
        }
        let refused = desk.store(Self.piece([1], id: "kept32"), of: "talk")
        #expect(refused.status == 409 && refused.output.contains("32 uploads"))
        // An existing upload can continue.
        #expect(
            desk.store(Self.piece([2], at: 1, id: "kept31"), of: "talk").output
                == #"{"done":false,"offset":2}"#)
        let cameras = session.path + "/cameras"
        #expect(try FileManager.default.contentsOfDirectory(atPath: cameras).count == 32)
        for number in 0..<31 {
            try FileManager.default.removeItem(atPath: cameras + "/guest-phone-kept\(number).part")
        }
        let large = try FileHandle(forWritingTo: URL(filePath: cameras + "/guest-phone-kept31.part"))
        try large.truncate(atOffset: 60 << 30)
        try large.close()
        let excess = desk.store(Self.piece([1], total: 5 << 30, id: "next"), of: "talk")
        #expect(excess.status == 409 && excess.output.contains("64 GB"), "\(excess)")
        #expect(desk.store(Self.piece([1], total: 1 << 30, id: "next"), of: "talk").status == 200)
    }

    private func removeFolder(of session: URL) {
        do {
            try FileManager.default.removeItem(at: session.deletingLastPathComponent())
        } catch {
            Issue.record(error)
        }
    }
}

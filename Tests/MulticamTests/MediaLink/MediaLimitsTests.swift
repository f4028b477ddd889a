import Foundation
import MulticamInputs
import MulticamKit
import MulticamMedia
internal import MulticamMediaServing
import MulticamSession
import Testing

@testable import MulticamControl
@testable import MulticamMediaLink

@Suite("limits of the media socket")
struct MediaLimitsTests {
    private static func wait(for condition: () -> Bool) async throws -> Bool {
        let deadline = Date(timeIntervalSinceNow: 60)
        while !condition() {
            guard Date() < deadline else { return false }
            try await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    @Test("a status with a hundred long markers and many scenes arrives complete")
    func longStatus() async throws { try await SingleThreadExecutor.run(Self.longStatus) }

    private static func longStatus() async throws {
        let place = try MediaServerFixture()
        defer { place.remove() }
        let session = place.session
        place.server.setStatusSource {
            var status = ControlStatus(session.status, plan: session.currentPlan, folder: nil)
            status.markers = (0..<100).map {
                ControlStatus.Marker(at_ns: $0, text: String(repeating: "ü", count: 200))
            }
            status.scenes = (0..<400).map { "\($0) " + String(repeating: "x", count: 190) }
            return status
        }
        let (told, refused) = (ConditionLock<[String]>([]), ConditionLock<[String]>([]))
        let tap = try RemoteTap(.status, path: place.path) { piece in
            switch piece {
            case .status(let text): told.withLock { $0.append(text) }
            case .refused(let text): refused.withLock { $0.append(text) }
            case .frame, .audio, .metadata, .packet, .event, .events, .end: break
            }
        }
        #expect(try await wait { told.withLock { $0.count >= 2 } || refused.withLock { !$0.isEmpty } })
        #expect(refused.withLock { $0.isEmpty })
        let text = try #require(told.withLock { $0.first })
        let status = try JSONDecoder().decode(ControlStatus.self, from: Data(text.utf8))
        #expect(text.utf8.count > 100_000)
        #expect(status.markers.count == 100 && status.markers[99].text.count == 200)
        #expect(status.scenes.count == 400)
        tap.close()
        await session.close()
    }

    @Test("any number of receiving processes leaves room for others to send a device")
    func places() async throws { try await SingleThreadExecutor.run(Self.places) }

    private static func places() async throws {
        let place = try MediaServerFixture()
        defer { place.remove() }
        let (refusals, ends) = (ConditionLock<[String]>([]), ConditionLock(0))
        let taps = try (0..<36).map { _ in
            try RemoteTap(.events, path: place.path) { piece in
                switch piece {
                case .refused(let text): refusals.withLock { $0.append(text) }
                case .end: ends.withLock { $0 += 1 }
                case .frame, .audio, .metadata, .packet, .status, .event, .events: break
                }
            }
        }
        // Refused connections receive the reason, and don't take the place of others.
        #expect(try await wait { ends.withLock { $0 } == 4 })
        #expect(
            refusals.withLock { $0.count == 4 && $0.allSatisfy { $0.hasPrefix("the limit of 32 processes") } }
        )
        #expect(try await wait { place.server.connectionCount == 32 })
        let sender = try RawClient(place.path)
        defer { sender.close() }
        let camera =
            #"{"type":"camera","id":1,"name":"slides","pixel":"mjpeg","width":320,"height":180,"rate":"30"}"#
        sender.send(RawClient.message(Array(camera.utf8), []))
        #expect(try await wait { place.server.connectionCount == 33 && sender.hasUnreadText("hello") })
        // If a connection is closed, another one can be opened.
        taps[0].close()
        #expect(try await wait { place.server.connectionCount == 32 })
        let next = ConditionLock(false)
        let tap = try RemoteTap(.status, path: place.path) { piece in
            if case .status = piece { next.withLock { $0 = true } }
        }
        #expect(try await wait { next.withLock { $0 } })
        #expect(!sender.hasUnreadText("error"))
        for tap in taps + [tap] { tap.close() }
        await place.session.close()
    }
}

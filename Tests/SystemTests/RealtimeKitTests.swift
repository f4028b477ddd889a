import CMulticamDBus
import Foundation
import Glibc
import MulticamMedia
import MulticamSystem
import Testing

@Suite("Thread priorities from RealtimeKit")
struct RealtimeKitTests {
    /// A service that refuses requests with the given reason, or grants them if it is `nil`, and records
    /// them.
    private final class Service: PriorityService {
        let requests = ConditionLock<[(thread: Int32, nice: Int32)]>([])
        let answer: String?

        init(_ answer: String?) { self.answer = answer }

        func raise(thread: Int32, toNice nice: Int32) -> String? {
            requests.withLock { $0.append((thread, nice)) }
            return answer
        }
    }

    @Test("a trial returns the source of the priority or the reason for the refusal")
    func trial() {
        let (granting, refusing) = (Service(nil), Service("no"))
        let granted = ThreadPriorities.testGrant(with: granting)
        let refused = ThreadPriorities.testGrant(with: refusing)
        // The kernel grants the priority to root, or if the nice limit is raised.
        if granting.requests.withLock(\.isEmpty) {
            #expect(granted == .niceLimit && refused == .niceLimit)
        } else {
            #expect(granted == .realtimeKit && refused == .notGranted(reason: "no"))
            #expect(granting.requests.withLock(\.count) == 1)
        }
    }

    @Test("without a bus, the request fails with a reason")
    func noBus() {
        let reason = RealtimeKit(bus: "unix:path=/nowhere/bus").raise(thread: 4711, toNice: -11)
        #expect(reason?.hasPrefix("RealtimeKit: ") == true)
    }

    @Test("a request contains this process's thread, and returns RealtimeKit's reason for a refusal")
    func service() throws {
        let bus = Process()
        let address = Pipe()
        bus.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
        bus.arguments = ["--session", "--nofork", "--print-address", "--address=unix:tmpdir=/tmp"]
        bus.standardOutput = address
        try bus.run()
        // The process inherits the blocked signals of this thread, so only SIGKILL ends it.
        defer {
            kill(bus.processIdentifier, SIGKILL)
            bus.waitUntilExit()
        }
        let printed = String(decoding: address.fileHandleForReading.availableData, as: UTF8.self)
        let name = printed.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(RealtimeKit(bus: name).raise(thread: 1, toNice: -11)?.hasPrefix("RealtimeKit: ") == true)
        let requests = ConditionLock<[FakeRealtimeKit.Request]>([])
        let fake = try #require(FakeRealtimeKit(bus: name))
        let served = try MediaThread(name: "rtkit") {
            let first = fake.answer(nil)
            let second = fake.answer("too many threads")
            requests.withLock { $0 = [first, second] }
        }
        let first = RealtimeKit(bus: name).raise(thread: 4711, toNice: -11)
        let second = RealtimeKit(bus: name).raise(thread: 4712, toNice: -5)
        served.join()
        #expect(first == nil)
        #expect(second == "RealtimeKit: too many threads")
        let process = UInt64(getpid())
        #expect(
            requests.withLock { $0 } == [
                FakeRealtimeKit.Request(process: process, thread: 4711, nice: -11),
                FakeRealtimeKit.Request(process: process, thread: 4712, nice: -5),
            ])
    }
}

/// A fake RealtimeKit on a private bus that answers one request at a time.
private struct FakeRealtimeKit: @unchecked Sendable {
    struct Request: Equatable {
        var process: UInt64 = 0
        var thread: UInt64 = 0
        var nice: Int32 = 0
    }

    // The connection is used by only one thread at a time.
    private let connection: OpaquePointer

    init?(bus address: String) {
        guard let connection = dbus_connection_open_private(address, nil),
            dbus_bus_register(connection, nil) != 0,
            dbus_bus_request_name(connection, "org.freedesktop.RealtimeKit1", 0, nil) == 1
        else { return nil }
        dbus_connection_set_exit_on_disconnect(connection, 0)
        self.connection = connection
    }

    /// Waits for a request, and grants it, or refuses it with the given reason.
    func answer(_ refusal: String?) -> Request {
        while dbus_connection_read_write(connection, -1) != 0 {
            while let message = dbus_connection_pop_message(connection) {
                defer { dbus_message_unref(message) }
                guard
                    dbus_message_is_method_call(
                        message, "org.freedesktop.RealtimeKit1", "MakeThreadHighPriorityWithPID") != 0
                else { continue }
                var request = Request()
                var arguments = DBusMessageIter()
                dbus_message_iter_init(message, &arguments)
                dbus_message_iter_get_basic(&arguments, &request.process)
                dbus_message_iter_next(&arguments)
                dbus_message_iter_get_basic(&arguments, &request.thread)
                dbus_message_iter_next(&arguments)
                dbus_message_iter_get_basic(&arguments, &request.nice)
                let answer =
                    refusal.map {
                        dbus_message_new_error(message, "org.freedesktop.DBus.Error.AccessDenied", $0)
                    } ?? dbus_message_new_method_return(message)
                dbus_connection_send(connection, answer, nil)
                dbus_connection_flush(connection)
                dbus_message_unref(answer)
                return request
            }
        }
        return Request()
    }
}

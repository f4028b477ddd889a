import MulticamMedia
import Testing

/// Only these tests use these thread names, so the threads of other tests are created as usual.
@Suite("Failures to create a thread", .serialized)
struct ThreadLimitTests {
    private func refusing(_ name: String, _ body: () throws -> Void) rethrows {
        MediaThread.refusedNames.withLock { _ = $0.insert(name) }
        defer { MediaThread.refusedNames.withLock { _ = $0.remove(name) } }
        try body()
    }

    @Test("the initializer throws an error that names the thread and the limit")
    func refused() {
        refusing("limited") {
            let error = #expect(throws: ThreadError.self) { _ = try MediaThread(name: "limited") {} }
            #expect(error?.thread == "limited")
            #expect(error?.description.contains("`limited`") == true)
            #expect(error?.description.contains("ulimit -u") == true)
        }
    }

    @Test("a clock keeps waking its other threads")
    func clock() throws {
        let clock = SimulatedClock()
        refusing("limited") {
            #expect(throws: ThreadError.self) { _ = try clock.startThread(named: "limited") {} }
        }
        let hasRun = ConditionLock(false)
        try clock.startThread(named: "other") {
            clock.sleep(until: clock.now + .seconds(1), unless: Cancellation())
            hasRun.withLock { $0 = true }
        }.join()
        #expect(hasRun.withLock { $0 })
    }

    @Test("required work runs on the calling thread")
    func here() {
        let count = ConditionLock(0)
        refusing("limited") {
            MediaThread.startOrRunInline(name: "limited") { count.withLock { $0 += 1 } }.join()
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("deferrable work runs once, when a thread becomes available")
    func later() {
        let count = ConditionLock(0)
        refusing("limited") {
            MediaThread.startWhenPossible(name: "limited") { count.broadcast { $0 += 1 } }
            #expect(count.withLock { $0 } == 0)
        }
        count.wait { $0 > 0 ? () : nil }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("joining a thread that hasn't been created yet runs its work, once")
    func joined() {
        let count = ConditionLock(0)
        refusing("limited") {
            let thread = MediaThread.startWhenPossible(name: "limited") { count.withLock { $0 += 1 } }
            thread.join()
            #expect(count.withLock { $0 } == 1)
            thread.join()
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("a check for several threads throws if one of them can't be created")
    func check() throws {
        refusing("limited") {
            #expect(throws: ThreadError.self) { try MediaThread.checkAvailability(of: 3, for: "limited") }
        }
        try MediaThread.checkAvailability(of: 3, for: "free")
    }

    @Test(
        "file and device errors name the limit instead of suggesting the disk or cable as the cause",
        arguments: [
            (errno: 24, words: "LimitNOFILE="), (errno: 23, words: "fs.file-max"),
            (errno: 12, words: "memory"),
        ] as [(errno: Int32, words: String)])
    func errors(errno: Int32, words: String) {
        let file = FileError(path: "/tmp/a", operation: "creating the file", errno: errno).description
        let device = DeviceError(device: "/dev/video0", operation: "opening", errno: errno).description
        for message in [file, device] {
            #expect(message.contains(words))
            #expect(!message.contains("Check the disk") && !message.contains("Plug it in"))
        }
    }

    @Test("the error for a file above the size limit names that limit")
    func fileSize() {
        let message = FileError(path: "/tmp/a", operation: "writing", errno: 27).description
        #expect(message.contains("maximum size") || message.contains("ulimit -f"))
        #expect(!message.contains("Check the disk"))
    }
}

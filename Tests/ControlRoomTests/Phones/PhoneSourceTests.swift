import Foundation
import MulticamControl
import MulticamInputs
import MulticamMedia
import MulticamStudio
import MulticamSystem
import Testing

@testable import MulticamControlRoom
@testable import MulticamMediaLink
@testable import MulticamMediaServing

@Suite("Phones as sources of the recorder")
struct PhoneSourceTests {
    /// A recorder's media socket with its devices.
    private struct RecorderFixture: Sendable {
        let path = "/tmp/phone-\(UUID().uuidString.prefix(8))"
        let devices = RemoteDevices()
        let server: MediaServer
        let news = BoundedQueue<PhoneSource.Notification>(capacity: 100)

        init() throws { server = try MediaServer(at: path, devices: devices) }

        var recorder: PhoneSource.RecorderAccess {
            let path = path
            return PhoneSource.RecorderAccess(process: { 1 }) { _ throws(ControlError) in
                let socket = try LocalSocket()
                guard try socket.tryConnect(to: path) else { throw .notRunning("nobody") }
                return socket
            }
        }

        var delivery: PhoneDelivery {
            let news = news
            return PhoneDelivery(recorder) { _ = news.tryEnqueue($0) }
        }
    }

    /// The capture and arrival time of frames.
    private static let now = ClockTime(nanoseconds: 5_000_000_000_000)

    private static func media(
        _ number: Int64, key: Bool = true, at instant: ClockTime = now
    ) throws -> TimestampedPhoneMedia {
        let bytes = PhoneMessageTests.message(
            2, key: key, number: number, microseconds: 0, [0, 0, 1, UInt8(clamping: number)])
        let media = try #require(bytes.withUnsafeBytes { PhoneMedia($0) })
        return TimestampedPhoneMedia(media, at: instant, within: .milliseconds(12))
    }

    /// A connected phone whose camera is running.
    private struct RunningPhone {
        let place: RecorderFixture
        let delivery: PhoneDelivery
        let camera: any CameraSource
        let events = BoundedQueue<CameraEvent>(capacity: 100)

        init() throws {
            place = try RecorderFixture()
            delivery = place.delivery
            delivery.phoneConnected(try PhoneOffer(PhoneMessageTests.offer()))
            camera = try place.devices.camera("phone:anna", within: .seconds(20))
            let events = events
            try camera.start(on: MonotonicClock()) { _ = events.tryEnqueue($0) }
        }

        /// Returns the numbers of the frames up to `last`, and the number of frames that were lost because of
        /// the network.
        func frames(upTo last: Int64) -> (numbers: [Int64], lostCount: Int) {
            var (numbers, lostCount) = ([Int64](), 0)
            while numbers.last != last, let event = events.dequeue() {
                switch event {
                case .frame(let frame): numbers.append(frame.sequence)
                case .lost(let count, let cause, _):
                    #expect(cause == .network)
                    lostCount += count
                default: break
                }
            }
            return (numbers, lostCount)
        }

        /// Disconnects the phone, and expects that it asked for a key frame first and was never accepted.
        func disconnect() {
            delivery.phoneDisconnected(because: "network: the end")
            var news: [PhoneSource.Notification] = []
            place.news.finish()
            while let one = place.news.dequeue() { news.append(one) }
            #expect(news.first == .needsKeyFrame && !news.contains(.accepted))
        }

        func stop() {
            camera.stop()
            place.server.stop()
        }
    }

    @Test("a phone provides a camera and a microphone under its name")
    func devices() throws {
        let phone = try RunningPhone()
        defer { phone.stop() }
        let microphone = try phone.place.devices.microphone("phone:anna", within: .seconds(20))
        #expect(phone.camera.device.selector == "phone:anna" && phone.camera.outageCause == .network)
        #expect(phone.camera.timeOrigin == .mapped && microphone.timeOrigin == .arrival)
        #expect(phone.camera.format.size == FrameSize(width: 640, height: 360))
        phone.disconnect()
    }

    @Test("frames arrive in order from a key frame on, also after a gap, and all other frames are lost")
    func order() throws {
        let phone = try RunningPhone()
        defer { phone.stop() }
        // The sequence is a delta frame before a key frame, a key frame, its delta frame, a gap, an
        // undecodable frame, the next key frame, a frame from before, a frame that is too old, and a key
        // frame.
        for (number, isKey) in [(0, false), (1, true), (2, false), (4, false), (5, true), (3, true)] {
            phone.delivery.send(try Self.media(Int64(number), key: isKey), at: Self.now)
        }
        phone.delivery.send(try Self.media(6, key: true, at: Self.now - .seconds(4)), at: Self.now)
        phone.delivery.send(try Self.media(7, key: false), at: Self.now)
        phone.delivery.send(try Self.media(8, key: true), at: Self.now)
        let frames = phone.frames(upTo: 8)
        #expect(frames.numbers == [1, 2, 5, 8])
        #expect(frames.lostCount == 4)
        #expect(phone.camera.timeError == .milliseconds(12))
        phone.disconnect()
    }

    @Test("a phone that reconnects is the same camera, and its outage has the cause of the disconnection")
    func reconnects() throws {
        let phone = try RunningPhone()
        defer { phone.stop() }
        phone.delivery.send(try Self.media(8, key: true), at: Self.now)
        #expect(phone.frames(upTo: 8).numbers == [8])
        phone.delivery.phoneDisconnected(because: "network: the connection ended")
        while let event = phone.events.dequeue() {
            guard case .outageBegan(_, let cause, _) = event else { continue }
            #expect(cause == "network: the connection ended")
            break
        }
        // The camera returns once the recorder detects the end of the previous connection.
        var returns = false
        for second in 1...60 where !returns {
            let later = Self.now + .seconds(Int64(second) * 2)
            if second == 1 { phone.delivery.phoneConnected(try PhoneOffer(PhoneMessageTests.offer())) }
            let bytes = PhoneMessageTests.message(2, number: Int64(second), microseconds: 0, [0, 0, 1])
            let media = try #require(bytes.withUnsafeBytes { PhoneMedia($0) })
            phone.delivery.send(TimestampedPhoneMedia(media, at: later, within: .zero), at: later)
            while phone.events.count > 0, let event = phone.events.dequeue() {
                if case .outageEnded = event { returns = true }
            }
            MonotonicClock().sleep(until: MonotonicClock().now + .milliseconds(50), unless: Cancellation())
        }
        #expect(returns)
        phone.disconnect()
    }

    @Test(
        "a phone that sends only audio loses its camera until the next frame, and keeps its microphone"
    )
    func stall() throws {
        let place = try RecorderFixture()
        defer { place.server.stop() }
        let delivery = place.delivery
        let now = MonotonicClock().now
        delivery.phoneConnected(try PhoneOffer(PhoneMessageTests.offer()))
        let camera = try place.devices.camera("phone:anna", within: .seconds(20))
        let events = BoundedQueue<CameraEvent>(capacity: 100)
        try camera.start(on: MonotonicClock()) { _ = events.tryEnqueue($0) }
        defer { camera.stop() }
        func deliver(_ kind: UInt8, _ number: Int64, after seconds: Int64, _ content: [UInt8]) throws {
            let bytes = PhoneMessageTests.message(kind, number: number, microseconds: 0, content)
            let media = try #require(bytes.withUnsafeBytes { PhoneMedia($0) })
            let instant = now + .seconds(seconds)
            delivery.send(TimestampedPhoneMedia(media, at: instant, within: .zero), at: instant)
        }
        try deliver(2, 0, after: 60, [0, 0, 1])
        delivery.checkFrames(at: now + .seconds(62))
        try deliver(3, 0, after: 62, [1, 2])
        delivery.checkFrames(at: now + .seconds(64))
        var causes: [String] = []
        while causes.isEmpty, let event = events.dequeue() {
            if case .outageBegan(_, let cause, _) = event { causes.append(cause) }
        }
        #expect(causes == ["network: no frames received for 3 s"])
        try deliver(3, 1, after: 65, [1, 2])
        // The recorder detects the end of the camera's connection on another thread, so this retries.
        var returns = false
        for second in Int64(70)...130 where !returns {
            try deliver(2, second, after: second * 2, [0, 0, 1])
            while events.count > 0, let event = events.dequeue() {
                if case .outageEnded = event { returns = true }
            }
            MonotonicClock().sleep(until: MonotonicClock().now + .milliseconds(50), unless: Cancellation())
        }
        #expect(returns)
        delivery.phoneDisconnected(because: "network: the end")
    }

    @Test("a phone that returns with another format receives the reason for its rejection")
    func format() throws {
        let place = try RecorderFixture()
        defer { place.server.stop() }
        let first = place.delivery
        first.phoneConnected(try PhoneOffer(PhoneMessageTests.offer()))
        _ = try place.devices.camera("phone:anna", within: .seconds(20))
        first.phoneDisconnected(because: "network: it has gone")
        let source = PhoneSource(place.recorder) { [news = place.news] in _ = news.tryEnqueue($0) }
        source.phoneConnected(try PhoneOffer(PhoneMessageTests.offer(size: (1280, 720))))
        // The refusal arrives asynchronously: audio and frames are sent until then, for at most a minute.
        var sentence: String?
        for _ in 0..<3000 where sentence == nil {
            source.enqueue(try Self.media(0))
            while place.news.count > 0, case .problem(let text)? = place.news.dequeue() {
                if text.contains("previously") { sentence = text }
            }
            MonotonicClock().sleep(until: MonotonicClock().now + .milliseconds(20), unless: Cancellation())
        }
        #expect(sentence?.contains("640x360") == true)
        source.join()
    }

    /// Waits until connections provide `count` devices.
    private static func wait(for count: Int, at place: RecorderFixture) {
        while place.devices.presentCount != count {
            MonotonicClock().sleep(until: MonotonicClock().now + .milliseconds(5), unless: Cancellation())
        }
    }

    @Test("acceptance of all of a phone's devices is reported once, and never for repeatedly rejected ones")
    func taken() throws {
        let place = try RecorderFixture()
        defer { place.server.stop() }
        let delivery = place.delivery
        delivery.phoneConnected(try PhoneOffer(PhoneMessageTests.offer()))
        let now = MonotonicClock().now
        Self.wait(for: 2, at: place)
        for half in Int64(2)..<10 {
            let instant = now + .milliseconds(half * 500)
            delivery.send(try Self.media(half, at: instant), at: instant)
            delivery.checkFrames(at: instant)
        }
        delivery.phoneDisconnected(because: "network: it has gone")
        place.news.finish()
        var news: [PhoneSource.Notification] = []
        while let one = place.news.dequeue() { news.append(one) }
        #expect(news == [.needsKeyFrame, .accepted])
    }

    @Test("a rejection stays in effect until a device is accepted, regardless of retries")
    func refused() throws {
        let place = try RecorderFixture()
        defer { place.server.stop() }
        let first = place.delivery
        first.phoneConnected(try PhoneOffer(PhoneMessageTests.offer(audio: "null")))
        _ = try place.devices.camera("phone:anna", within: .seconds(20))
        first.phoneDisconnected(because: "network: it has gone")
        Self.wait(for: 0, at: place)
        let second = place.delivery
        second.phoneConnected(try PhoneOffer(PhoneMessageTests.offer(size: (1280, 720), audio: "null")))
        var instant = MonotonicClock().now
        var problems = 0
        while problems < 3 {
            second.send(try Self.media(0, at: instant), at: instant)
            second.checkFrames(at: instant)
            guard place.news.count > 0, let news = place.news.dequeue() else {
                MonotonicClock().sleep(
                    until: MonotonicClock().now + .milliseconds(5), unless: Cancellation())
                continue
            }
            #expect(news != .accepted)
            guard case .problem = news else { continue }
            problems += 1
            instant = instant + .seconds(2)
        }
        second.phoneDisconnected(because: "network: the end")
    }

    @Test("a rejected microphone does not affect the camera")
    func refusedMicrophone() throws {
        let place = try RecorderFixture()
        defer { place.server.stop() }
        let other = try RemoteSource(
            microphoneNamed: "phone:anna", AudioFormat(rate: 16_000, channels: 1), delay: .zero, dated: nil,
            over: try place.recorder.connect(1))
        defer { other.close() }
        Self.wait(for: 1, at: place)
        let delivery = place.delivery
        delivery.phoneConnected(try PhoneOffer(PhoneMessageTests.offer()))
        let camera = try place.devices.camera("phone:anna", within: .seconds(20))
        let events = BoundedQueue<CameraEvent>(capacity: 1000)
        try camera.start(on: MonotonicClock()) { _ = events.tryEnqueue($0) }
        defer { camera.stop() }
        var instant = MonotonicClock().now
        var (refusals, frames, number) = (0, 0, Int64(0))
        while refusals < 3 || frames < 3 {
            number += 1
            delivery.send(try Self.media(number, at: instant), at: instant)
            while place.news.count > 0, let news = place.news.dequeue() {
                guard case .problem(let text) = news else { continue }
                #expect(text.contains("microphone"))
                refusals += 1
                instant = instant + .seconds(2)
            }
            while events.count > 0, let event = events.dequeue() {
                if case .frame = event { frames += 1 }
                if case .outageBegan = event { Issue.record("the camera is away") }
            }
            MonotonicClock().sleep(until: MonotonicClock().now + .milliseconds(5), unless: Cancellation())
        }
        delivery.phoneDisconnected(because: "network: the end")
    }

    @Test(
        "a phone's controls belong to its camera; changes wait for the phone, and invalid values are never sent"
    )
    func controls() throws {
        let place = try RecorderFixture()
        defer { place.server.stop() }
        let delivery = place.delivery
        delivery.phoneConnected(try PhoneOffer(PhoneMessageTests.offer(audio: "null")))
        let camera = try place.devices.camera("phone:anna", within: .seconds(20))
        let zoom = DeviceControl(
            name: "zoom_absolute", value: 100, minimum: 100, maximum: 800, step: 50, defaultValue: 100)
        let torch = DeviceControl(
            name: "torch", kind: .boolean, value: 0, minimum: 0, maximum: 1, defaultValue: 0)
        let odd = DeviceControl(name: "../x", value: 0, minimum: 1, maximum: 0, defaultValue: 0)
        delivery.send(ReportedControls(controls: [zoom, odd, torch].map { ControlsReport.Control($0) }))
        while try camera.readControls() != [zoom, torch] {
            MonotonicClock().sleep(until: MonotonicClock().now + .milliseconds(5), unless: Cancellation())
        }
        let asked = [("torch", 1), ("zoom_absolute", 300), ("iris", 3)].map {
            ControlRequest(name: $0, value: $1)
        }
        let outcomes = ConditionLock<[Result<[ControlOutcome], DeviceError>]>([])
        func set(_ requests: [ControlRequest]) -> MediaThread {
            MediaThread.startWhenPossible(name: "set") {
                let outcome = Result { () throws(DeviceError) in try camera.setControls(requests) }
                outcomes.withLock { $0.append(outcome) }
            }
        }
        let thread = set(asked)
        var wish: (number: Int, values: [String: Int64])?
        while wish == nil, let news = place.news.dequeue() {
            if case .controlsRequested(let number, let values) = news { wish = (number, values) }
        }
        #expect(wish?.values == ["torch": 1, "zoom_absolute": 300])
        let told = [zoom.with(value: 300), torch].map { ControlsReport.Control($0) }
        delivery.send(ReportedControls(controls: told, number: wish?.number, refused: ["torch"]))
        thread.join()
        // An invalid value is not sent to the phone.
        set([ControlRequest(name: "zoom_absolute", value: 333)]).join()
        delivery.phoneDisconnected(because: "network: the end")
        Self.wait(for: 0, at: place)
        set(asked).join()
        let found = outcomes.withLock { $0 }
        let (first, second) = (try found[0].get(), try found[1].get())
        #expect(first.map(\.value) == [0, 300, nil])
        #expect(
            first.map(\.fault) == [
                .refused(1), nil, .unknownControl("iris", names: ["zoom_absolute", "torch"]),
            ])
        #expect(second.map(\.fault) == [.outOfRange(333, 100, 800, step: 50)])
        #expect(throws: DeviceError.self) { try found[2].get() }
    }

    @Test(
        "phones send to a calibration that uses the devices while no recorder runs, and stop afterwards"
    )
    func calibration() throws {
        let connector = RecorderConnector(OwnedDescriptor(owning: open("/dev/null", O_RDWR)))
        let link = RecorderConnection(nil, try WebMailbox(), connector)
        defer { link.close() }
        let phones = link.accessForPhones
        #expect(phones.process() == nil)
        link.setRecorder(nil, calibration: 42)
        #expect(phones.process() == 42 && link.process == nil)
        link.setRecorder(nil)
        #expect(phones.process() == nil)
    }

    @Test("a phone never used by a session is discarded, and may return with another format")
    func forgotten() throws {
        let place = try RecorderFixture()
        defer { place.server.stop() }
        let first = place.delivery
        first.phoneConnected(try PhoneOffer(PhoneMessageTests.offer(audio: "null")))
        Self.wait(for: 1, at: place)
        first.phoneDisconnected(because: "network: it has gone")
        Self.wait(for: 0, at: place)
        let delivery = place.delivery
        delivery.phoneConnected(try PhoneOffer(PhoneMessageTests.offer(size: (1280, 720), audio: "null")))
        let camera = try place.devices.camera("phone:anna", within: .seconds(20))
        #expect(camera.format.size == FrameSize(width: 1280, height: 720))
        delivery.phoneDisconnected(because: "network: the end")
    }
}

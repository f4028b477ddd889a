import MulticamMedia
import MulticamPlan
import Testing

@Suite("The `default` microphone")
struct MicrophoneRouteTests {
    private let usual = SyntheticCameras.microphone("usual", isDefault: true)
    private let other = SyntheticCameras.microphone("other")
    private let webcam = SyntheticCameras.microphone("webcam")

    @Test("the last microphone plugged in precedes a preferred input, which precedes the server's default")
    func order() {
        var route = MicrophoneRoute(present: [other, usual])
        #expect(route.current == PreferredDevice(device: usual, reason: .serverDefault))
        route.choose(other.identity)
        #expect(route.current == PreferredDevice(device: other, reason: .chosen))
        #expect(route.userPreferred == other)
        route.handle([.connected(webcam)])
        #expect(route.current == PreferredDevice(device: webcam, reason: .pluggedIn))
        route.choose(usual.identity)
        #expect(route.current == PreferredDevice(device: usual, reason: .chosen))
        route.handle([.disconnected(usual)])
        #expect(route.current == PreferredDevice(device: other, reason: .chosen))
    }

    @Test("the microphone stays during a recording; afterwards it follows the preference")
    func recording() {
        var route = MicrophoneRoute(present: [usual])
        route.recordingBegan()
        route.handle([.connected(webcam)])
        #expect(route.current?.device == usual)
        #expect(route.preferred?.device == webcam)
        route.recordingEnded()
        #expect(route.current?.device == webcam)
        route.recordingBegan()
        route.handle([.disconnected(webcam)])
        #expect(route.current?.device == webcam)
        route.recordingEnded()
        #expect(route.current?.device == usual)
    }

    @Test("microphones that return with the sound server do not count as plugged in")
    func server() {
        let away = DeviceError(device: "PulseAudio", operation: "listening", reason: .noSoundServer("away"))
        var route = MicrophoneRoute(present: [usual, other])
        route.handle([.disconnected(usual), .disconnected(other), .problem(away)])
        #expect(route.current == nil)
        route.handle([.connected(other), .connected(usual)])
        #expect(route.current == PreferredDevice(device: usual, reason: .serverDefault))
        route.handle([.connected(webcam)])
        #expect(route.current?.device == webcam)
    }

    @Test("cameras are ignored, and there may be no default microphone")
    func none() {
        var route = MicrophoneRoute(present: [SyntheticCameras.front, other])
        route.handle([.connected(SyntheticCameras.display)])
        #expect(route.microphones == [other] && route.current == nil)
    }
}

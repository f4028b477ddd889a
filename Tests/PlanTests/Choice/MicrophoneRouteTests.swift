import Media
import Plan
import Testing

@Suite("What `default` means of microphones")
struct MicrophoneRouteTests {
    private let usual = SyntheticCameras.microphone("usual", isDefault: true)
    private let other = SyntheticCameras.microphone("other")
    private let webcam = SyntheticCameras.microphone("webcam")

    @Test("the server's own choice, a preferred input before it, and the last plugged in before both")
    func order() {
        var route = MicrophoneRoute(present: [other, usual])
        #expect(route.current == PreferredDevice(device: usual, reason: .serverDefault))
        route.choose(other.identity)
        #expect(route.current == PreferredDevice(device: other, reason: .chosen))
        #expect(route.userPreferred == other)
        route.handle([.arrived(webcam)])
        #expect(route.current == PreferredDevice(device: webcam, reason: .pluggedIn))
        #expect(route.name == "default (webcam)")
        route.choose(usual.identity)
        #expect(route.current == PreferredDevice(device: usual, reason: .chosen))
        route.handle([.departed(usual)])
        #expect(route.current == PreferredDevice(device: other, reason: .chosen))
    }

    @Test("during a recording it stays; afterwards it goes where it should, and its shown name with it")
    func recording() {
        var route = MicrophoneRoute(present: [usual])
        route.recordingBegan()
        route.handle([.arrived(webcam)])
        #expect(route.current?.device == usual && route.name == "default (usual)")
        #expect(route.wanted?.device == webcam)
        route.recordingEnded()
        #expect(route.current?.device == webcam && route.name == "default (webcam)")
        route.recordingBegan()
        route.handle([.departed(webcam)])
        #expect(route.current?.device == webcam)
        route.recordingEnded()
        #expect(route.current?.device == usual)
    }

    @Test("what a sound server has that came back was plugged in by nobody")
    func server() {
        let away = DeviceError(device: "PulseAudio", operation: "listen", reason: .noSoundServer("away"))
        var route = MicrophoneRoute(present: [usual, other])
        route.handle([.departed(usual), .departed(other), .problem(away)])
        #expect(route.current == nil && route.name == "default (no microphone)")
        route.handle([.arrived(other), .arrived(usual)])
        #expect(route.current == PreferredDevice(device: usual, reason: .serverDefault))
        route.handle([.arrived(webcam)])
        #expect(route.current?.device == webcam)
    }

    @Test("cameras are none of its business, and where the default is no microphone there is none")
    func none() {
        var route = MicrophoneRoute(present: [SyntheticCameras.front, other])
        route.handle([.arrived(SyntheticCameras.display)])
        #expect(route.microphones == [other] && route.current == nil)
    }
}

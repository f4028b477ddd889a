import Foundation
import Testing

@Suite("Network cameras on the command line")
struct NetworkCameraTests {
    @Test(
        "a URL with a password in an argument is rejected, because other users can see arguments",
        arguments: [
            ["record", "--profile", "pip", "--camera", "desk=rtsp://user:geheim@host/x"],
            ["record", "--profile", "pip", "--mic", "host=http://host/x?token=geheim"],
            ["ctl", "add", "gate", "rtsp://user:geheim@host/x"],
            ["ctl", "replace-camera", "desk", "srt://host:9000?passphrase=geheimgeheim"],
        ])
    func words(words: [String]) throws {
        let outcome = try Multicam.run([Multicam.path] + words)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("all users of this computer can see command-line arguments"))
        #expect(outcome.errors.contains("url_from"))
        #expect(!outcome.errors.contains("geheim"))
    }

    @Test("an invalid URL is a usage error, and a missing key file is a profile error")
    func wrong() throws {
        let scratch = try Scratch()
        let address = try Multicam.run("record", "--profile", "pip", "--camera", "desk=rtsp://host:0/x")
        #expect(address.status == 2 && address.errors.contains("a port from 1 to 65535"))
        let path = try scratch.file(
            "gate.yaml", "cameras: { gate: { url_from: { file: /none/gate } } }\ntracks: { cameras: copy }\n")
        let missing = try Multicam.run("record", "--profile", path, "--output", scratch.path)
        #expect(missing.status == 2 && missing.output.isEmpty)
        #expect(missing.errors.contains("cameras.gate.url_from: found /none/gate, which cannot be read"))
    }

    @Test("a plan connects to no camera, and states the format it assumes for each")
    func plan() throws {
        let scratch = try Scratch()
        let path = try scratch.file(
            "gate.yaml",
            """
            cameras:
              gate: { device: "rtsp://127.0.0.1:9/x", size: 1920x1080, rate: 25 }
              door: { device: "http://127.0.0.1:9/x" }
              slides: { device: "screen::4711?cursor=no", rate: 15 }
              kept: { url_from: { file: /none/kept } }
            microphones: { gate-mic: { device: "camera:gate" } }
            tracks: { cameras: copy }
            """)
        let plan = try Multicam.run("plan", "--profile", path)
        #expect(plan.status == 0, "\(plan.errors)")
        for sentence in [
            "gate: the format of rtsp://127.0.0.1:9/x is unknown until the recording connects to the device. The plan assumes h264 1920x1080",
            "door: the format of http://127.0.0.1:9/x is unknown", "The plan assumes mjpeg 1280x720",
            "slides: the format of screen::4711?cursor=no is unknown", "The plan assumes mjpeg 1920x1080",
            "kept: the format of the address from url_from is unknown", "gate-mic",
        ] {
            #expect(plan.output.contains(sentence), "\(plan.output)")
        }
    }

    @Test(
        "a screen as a microphone and an invalid screen selector are rejected with the expected value")
    func screens() throws {
        let scratch = try Scratch()
        let path = try scratch.file("desk.yaml", "microphones: { host: { device: \"screen:\" } }\n")
        let microphone = try Multicam.run("record", "--profile", path, "--output", scratch.path)
        #expect(microphone.status == 2 && microphone.errors.contains(".monitor"), "\(microphone.errors)")
        let wrong = try Multicam.run("record", "--profile", "pip", "--camera", "desk=screen::0?monitor=1")
        #expect(wrong.status == 2 && wrong.errors.contains("screen::0?window=TITLE"), "\(wrong.errors)")
    }
}

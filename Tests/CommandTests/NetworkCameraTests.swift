import Foundation
import Testing

@Suite("Network cameras, on the command line")
struct NetworkCameraTests {
    @Test(
        "an address with a password among the words is refused, since others see them",
        arguments: [
            ["record", "--profile", "pip", "--camera", "desk=rtsp://user:geheim@host/x"],
            ["record", "--profile", "pip", "--mic", "host=http://host/x?token=geheim"],
            ["ctl", "add", "gate", "rtsp://user:geheim@host/x"],
            ["ctl", "exchange", "desk", "srt://host:9000?passphrase=geheimgeheim"],
        ])
    func words(words: [String]) throws {
        let outcome = try Multicam.run([Multicam.path] + words)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("everybody on this computer sees the arguments of a command"))
        #expect(outcome.errors.contains("url_from"))
        #expect(!outcome.errors.contains("geheim"))
    }

    @Test("an address that is none is a usage error, and a key that is not there one of the profile")
    func wrong() throws {
        let scratch = try Scratch()
        let address = try Multicam.run("record", "--profile", "pip", "--camera", "desk=rtsp://host:0/x")
        #expect(address.status == 2 && address.errors.contains("no port from 1 to 65535"))
        let path = try scratch.file(
            "gate.yaml", "cameras: { gate: { url_from: { file: /none/gate } } }\ntracks: { cameras: copy }\n")
        let missing = try Multicam.run("record", "--profile", path, "--output", scratch.path)
        #expect(missing.status == 2 && missing.output.isEmpty)
        #expect(missing.errors.contains("cameras.gate.url_from: found /none/gate, which cannot be read"))
    }

    @Test("a camera that nobody is ends the command with a sentence, and nothing is recorded")
    func nobody() throws {
        let scratch = try Scratch()
        // Port 9 of this computer is the one that discards, which no system serves.
        let path = try scratch.file(
            "gate.yaml",
            "cameras: { gate: { device: \"http://127.0.0.1:9/x\" } }\ntracks: { cameras: copy }\n")
        let plan = try Multicam.run("plan", "--profile", path)
        #expect(plan.status == 2 && plan.errors.contains("http://127.0.0.1:9/x"), "\(plan.errors)")
    }
}

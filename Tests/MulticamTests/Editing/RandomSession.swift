import Foundation
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSeededNoise
import MulticamSession
import MulticamSessionFolder
import MulticamVirtualDevices
import Testing

/// A random recording with varying rates, rotations, crops, splits, late tracks, replaced cameras, slates,
/// and changes of layout and mix. Each seed always produces the same recording.
struct RandomSession {
    private var generator: SeededGenerator
    /// The profile as YAML.
    private(set) var profile = ""
    /// Length of the recording in seconds.
    let seconds: Double
    private var actions: [Int: [Action]] = [:]

    private enum Action {
        case changes([SessionChange])
        case split
        case mark(String)
        case replaceCamera
    }

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 1)
        seconds = 6 + Double(generator.next() % 30) / 10
        write()
    }

    private mutating func of<Value>(_ values: [Value]) -> Value {
        values[Int(generator.next() % UInt64(values.count))]
    }

    private mutating func chance(of one: UInt64) -> Bool { generator.next() % one == 0 }

    private mutating func write() {
        let rate = of(["23.976", "24", "25", "29.97", "29.97", "30", "50", "59.94"])
        let other = chance(of: 2) ? rate : of(["15", "25", "30"])
        let turn = of([0, 0, 90, 180, 270])
        let fault = of(["", "", "&unplug=2&replug=4.5", "&stall=1.5:1.7"])
        let mode = of(["copy", "copy", "encode"])
        let crop = mode == "encode" && chance(of: 2) ? ", crop: 4:3" : ""
        let format = chance(of: 4) ? "h264" : "mjpeg"
        profile = """
            cameras:
              desk: { device: "virtual:clap?size=320x180&fps=\(rate)&seed=\(generator.next() % 100)", rate: \(rate) }
              face: { device: "virtual:clap?size=320x180&fps=\(other)&mount=\(turn)\(fault)", rate: \(other), rotation: \(turn)\(crop) }
              wide: { device: "virtual:clap?size=256x144&fps=\(rate)&format=\(format)", rate: \(rate)\(chance(of: 3) ? ", mirrored: true" : "") }
            microphones:
              host: { device: "virtual:clap", gain: \(of(["0", "3", "-4.5"])) }
              guest: { device: "virtual:tone" }

            """
        if !chance(of: 5) {
            let layout = of(["pip", "side-by-side", "grid", "single"])
            profile +=
                "program: { size: 640x360, rate: \(rate), layout: \(layout), main: desk, inset: [face, wide], "
                + "video: { preset: ultrafast }, audio: { mix: [host, guest] } }\n"
            addPictures()
        }
        profile += "tracks: { cameras: \(mode), microphones: wav }\nlimits: none\n"
        if chance(of: 2) { add(of([2, 3, 4]), .split) }
        if chance(of: 2) {
            add(1, .changes([.stopTrack(role: "wide")]))
            add(of([3, 4]), .changes([.startTrack(role: "wide")]))
        }
        if chance(of: 3) { add(3, .replaceCamera) }
        for _ in 0..<generator.next() % 4 {
            add(of([1, 2, 3, 4, 5]), .mark(of(["begin", "", "q & <a>", "Ä \"x\""])))
        }
    }

    private mutating func addPictures() {
        for _ in 0..<1 + generator.next() % 5 {
            let change: SessionChange = of([
                .swap(with: nil), .layout(of(ProgramLayout.allCases)), .layout(of(ProgramLayout.allCases)),
                .corner(.topLeft), .scale(0.4), .gain(role: "host", decibels: -6),
                .audible(role: "guest", false), .visible(role: "face", false), .rotation(role: "face", .half),
                .zoom(role: "desk", 2), .mirrored(role: "wide", true),
            ])
            add(of([1, 2, 3, 4, 5]), .changes([change]))
        }
    }

    private mutating func add(_ second: Int, _ action: Action) { actions[second, default: []].append(action) }

    /// Returns a host that performs the planned actions second by second. It skips actions that the session
    /// refuses, because random actions may be invalid.
    func host() -> ControllerHost {
        let actions = actions
        return ControllerHost { session, second in
            for action in actions[second] ?? [] {
                do {
                    switch action {
                    case .changes(let changes): try session.apply(changes)
                    case .split: session.split()
                    case .mark(let text): session.mark(text)
                    case .replaceCamera: try Self.replaceCamera(in: session)
                    }
                } catch is SessionChangeError {
                    continue
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
    }

    /// Replaces the camera of `desk`.
    static func replaceCamera(in session: MulticamSession) throws {
        guard var planned = session.currentPlan.cameras.first(where: { $0.role == "desk" }) else { return }
        let selector = "virtual:clap?phase=11&size=\(planned.format.size)&fps=\(planned.format.rate)&seed=9"
        let source = try VirtualSources.camera(selector: selector, role: "desk")
        (planned.selector, planned.identity, planned.format) = (
            selector, source.device.identity, source.format
        )
        try session.replaceCamera(with: source, as: planned)
    }
}

import MulticamMedia
import MulticamPlan
import MulticamProfiles
import Testing

@Suite("The hardware cost of a plan")
struct HardwareCostTests {
    /// A machine with round figures, similar to a laptop's processor.
    static func machine(processors: Double = 2, without missing: WorkKind? = nil) -> MachineModel {
        func entry(_ perUnit: Double) -> CostTable.Entry {
            CostTable.Entry(nanosecondsPerPiece: 10_000, nanosecondsPerUnit: perUnit)
        }
        var plain: [WorkKind: CostTable.Entry] = [
            .decodeJPEG1: entry(1), .decodeJPEG2: entry(1.2), .decodeJPEG3: entry(1.4),
            .decodeJPEG4: entry(1.6),
            .decodeJPEG8: entry(2), .decodeH264: entry(3), .unpack: entry(0.3), .scale: entry(0.2),
            .turn: entry(0.5), .recolor: entry(0.2), .encodeUltrafast: entry(5), .encodeSuperfast: entry(10),
            .encodeBalanced: entry(7),
            .encodeVeryfast: entry(12), .encodeAudio: entry(50), .resample: entry(20), .store: entry(0.3),
            .deliver: entry(0),
        ]
        let photographic = plain.filter { $0.key.dependsOnDetail }.mapValues {
            entry($0.nanosecondsPerUnit * 1.6)
        }
        if let missing { plain[missing] = nil }
        return MachineModel(
            processors: processors, costs: CostTable(plain: plain, photographic: photographic),
            freeMemory: 4_000_000_000,
            disk: MachineModel.Disk(freeBytes: 100_000_000_000, bytesPerSecond: 100_000_000))
    }

    private static func plan(_ text: String) throws -> SessionPlan {
        let profile = try SessionPlanTests.profile(text)
        let cameras = profile.cameras.map { ($0.role, SessionPlanTests.synthetic()) }
        let microphones = profile.microphones.map {
            ($0.role, SessionPlanTests.microphone(AudioFormat(rate: 48_000, channels: 1)))
        }
        return try SessionPlan(
            profile: profile, devices: Dictionary(uniqueKeysWithValues: cameras + microphones))
    }

    private static func cost(_ text: String, processors: Double = 2) throws -> HardwareCost {
        HardwareCost(of: try plan(text), on: machine(processors: processors), duration: .seconds(3600))
    }

    private func used(_ cost: HardwareCost, _ resource: String) throws -> Double {
        try #require(cost.terms.first { $0.resource == resource }).used
    }

    private static let pip = """
        cameras:
          desk: { device: any, size: 1920x1080, rate: 30 }
          face: { device: any, size: 1280x720, rate: 30 }
        microphones: { host: { device: default } }
        program: { size: 1920x1080, rate: 30, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        """

    @Test("a full frame needed by two outputs is decoded once")
    func sharedDecoding() throws {
        let camera = "cameras:\n  desk: { device: any, size: 1920x1080, rate: 30 }\n"
        let program = "program: { size: 1920x1080, rate: 30, layout: single, main: desk }\n"
        let alone = PlannedWork(try Self.plan(camera + program))
        let both = PlannedWork(try Self.plan(camera + program + "tracks: { cameras: encode }\n"))
        let small = PlannedWork(
            try Self.plan(
                camera + "program: { size: 1280x720, rate: 30, layout: single, main: desk }\n"
                    + "tracks: { cameras: encode }\n"))
        func decodings(_ work: PlannedWork) -> [String] {
            work.items.filter { $0.kind == .decodeJPEG8 }.map(\.owner)
        }
        #expect(decodings(alone) == ["program"] && decodings(both) == ["program"])
        #expect(
            both.items.filter { $0.kind == .scale }.map(\.owner) == ["program", "desk"],
            "out of the shared memory")
        #expect(decodings(small) == ["program"], "whole is the nearest scale above two thirds, too")
    }

    @Test("a full frame needed by two outputs is decoded at the rate of the faster one")
    func sharedRate() throws {
        let plan = try Self.plan(
            """
            cameras: { desk: { size: 1280x720, rate: 30 } }
            program: { size: 1280x720, rate: 10, layout: single, main: desk }
            tracks: { cameras: encode }
            """)
        let decodings = PlannedWork(plan).items.filter { $0.kind == .decodeJPEG8 }
        #expect(decodings.map(\.rate) == [30])
    }

    @Test("copied tracks wake the timeline ten times per second, a program at each of its ticks")
    func wakings() throws {
        let camera = "cameras:\n  desk: { device: any, size: 1920x1080, rate: 30 }\n"
        func wakings(_ text: String) throws -> Double {
            PlannedWork(try Self.plan(camera + text)).items.filter {
                $0.kind == .deliver && $0.owner == "session"
            }
            .map(\.rate).reduce(0, +)
        }
        let copied = try wakings("tracks: { cameras: copy }\n")
        let encoded = try wakings("tracks: { cameras: encode }\n")
        let program = try wakings("program: { size: 1280x720, rate: 30, layout: single, main: desk }\n")
        #expect(encoded - copied == 20 && program == encoded)
    }

    @Test("the cost is the sum of its steps, each decoded once per tick at its displayed scale")
    func sum() throws {
        let cost = try Self.cost(Self.pip)
        // The main camera is 1080p at full size, color-converted and encoded. The inset is 720p decoded at
        // 3/8, which is exactly a quarter of 1080p, and color-converted at that size.
        let (main, inset, shown) = (1920.0 * 1080, 1280.0 * 720, 480.0 * 270)
        let piece = 10_000.0
        let painting: Double = main * 2.2 + inset * 1.4 + shown * 0.2 + 4 * piece
        let frames: Double = 30 * (painting + main * 7 + piece)
        // The audio is assumed to be speech, which is the best assumption.
        let coding: Double = 96_000 / 1024 * (piece + 1024 * 50 * 1.6)
        let resampling: Double = 50 * piece + 48_000 * 20
        // The threads are the timeline and the monitor, an encoder for each camera, and two threads for the
        // microphone.
        let delivering: Double = (50 + 30 + 100 + 60 + 100) * piece
        let all = frames + coding + resampling + delivering
        #expect(abs(try used(cost, "cpu") - all / 1e9 / 1.8) < 0.002)
        let composing = 30 * painting
        #expect(abs(try used(cost, "thread:program") - composing / 1e9 / 0.9) < 0.001)
        #expect(cost.total == cost.terms.map(\.used).max())
    }

    @Test("the cost grows with every addition, and no term decreases")
    func basket() throws {
        let steps = [
            "cameras: { a: { size: 640x480, rate: 30 } }",
            "cameras: { a: { size: 640x480, rate: 30 }, b: { size: 640x480, rate: 30 } }",
            "cameras: { a: { size: 1280x720, rate: 30 }, b: { size: 640x480, rate: 30 } }",
            "cameras: { a: { size: 1280x720, rate: 60 }, b: { size: 640x480, rate: 30 } }",
            "cameras: { a: { size: 1280x720, rate: 60 }, b: { size: 640x480, rate: 30 } }\ntracks: { cameras: encode }",
        ]
        let costs = try steps.map { try Self.cost($0) }
        for (before, after) in zip(costs, costs.dropFirst()) {
            #expect(after.total >= before.total)
            // An encoded track is smaller than a copied one.
            for term in before.terms where !term.resource.hasPrefix("disk") {
                let later = after.terms.first { $0.resource == term.resource }
                #expect((later?.used ?? 0) >= term.used, "\(term.resource)")
            }
        }
    }

    @Test("the cost decreases with more processors, and the parts of each term add up to it")
    func parts() throws {
        let (two, half) = (try Self.cost(Self.pip), try Self.cost(Self.pip, processors: 0.5))
        #expect(abs(try used(half, "cpu") / used(two, "cpu") - 4) < 1e-9)
        #expect(half.total > 1)
        for term in two.terms {
            #expect(abs(term.parts.map(\.used).reduce(0, +) - term.used) < 1e-9, "\(term.resource)")
        }
        #expect(try #require(two.terms.first { $0.resource == "cpu" }).parts.first?.owner == "program")
    }

    @Test("unknown costs are listed and not guessed")
    func unknown() throws {
        var machine = Self.machine(without: .resample)
        machine.freeMemory = nil
        machine.disk = nil
        let cost = HardwareCost(of: try Self.plan(Self.pip), on: machine)
        #expect(cost.terms.isEmpty && cost.unknown.count == 3)
        #expect(cost.unknown.allSatisfy { $0.hasSuffix(".") })
    }

    @Test("too little memory within the address space limit names the limit")
    func limitedMemory() throws {
        var machine = Self.machine(processors: 64)
        machine.freeMemory = 10_000_000
        let free = HardwareCost(of: try Self.plan(Self.pip), on: machine)
        machine.isMemoryLimited = true
        let limited = HardwareCost(of: try Self.plan(Self.pip), on: machine)
        #expect(limited.excess(over: 1).contains("within the address space limit (`ulimit -v`)"))
        #expect(!free.excess(over: 1).contains("ulimit"))
    }

    @Test("frames of a real camera cost more than frames of a synthetic one")
    func detail() throws {
        let synthetic = try Self.plan(
            "cameras: { a: { size: 1280x720, rate: 30 } }\ntracks: { cameras: encode }")
        var real = synthetic
        real.cameras[0].selector = "/dev/video0"
        let (plain, photographic) = (
            HardwareCost(of: synthetic, on: Self.machine()), HardwareCost(of: real, on: Self.machine())
        )
        #expect(abs(try used(photographic, "cpu") / used(plain, "cpu") - 1.6) < 0.05)
    }
}

import MulticamMedia
import MulticamPlan
import Testing

@Suite("A camera that turns to people")
struct CameraAimTests {
    /// A person who doesn't move.
    private func person(_ azimuth: Double, elevation: Double = 0, height: Double = 5)
        -> SimulatedTurret.Person
    {
        SimulatedTurret.Person(id: 1, azimuth: azimuth, elevation: elevation, height: height)
    }

    @Test(
        "a person at rest is brought to the middle without overshoot, whatever the angle of view, and the camera then stands still",
        arguments: [40.0, 60, 90], [Rotation.none, .quarter, .half, .threeQuarters])
    func rest(view: Double, rotation: Rotation) throws {
        var scene = SimulatedTurret(view: view, rotation: rotation) { _ in [person(0.35 * view, elevation: 4)]
        }
        if rotation.swapsSides { scene.people = { _ in [person(4, elevation: 0.35 * view)] } }
        let samples = try scene.run()
        for sample in samples where sample.time > 12 {
            let face = try #require(sample.faces.first)
            #expect(abs(face.x - 0.5) <= 0.11)
            // The eyes are above the middle.
            #expect((0.3...0.6).contains(face.y))
        }
        let last = try #require(samples.last)
        #expect(!samples.contains { $0.time > 12 && $0.controls != last.controls })
        let sides = samples.compactMap { sample in
            sample.faces.first.map { rotation.swapsSides ? 0.5 - $0.y : $0.x - 0.5 }
        }
        #expect((sides.min() ?? -1) > -0.14, "no overshoot")
    }

    @Test("a person who walks slowly stays in the picture", arguments: [1.0, 2, 4])
    func walking(degreesPerSecond speed: Double) throws {
        let scene = SimulatedTurret(seconds: 60) { time in
            let way = (time * speed).truncatingRemainder(dividingBy: 120)
            return [person(way < 60 ? way - 30 : 90 - way)]
        }
        let samples = try scene.run().filter { $0.time > 5 }
        let visible = samples.filter { sample in sample.faces.contains { (0.05...0.95).contains($0.x) } }
        #expect(Double(visible.count) >= 0.98 * Double(samples.count))
    }

    @Test("when everyone has left, the camera returns to the position that it had at the beginning")
    func empty() throws {
        let samples = try SimulatedTurret(seconds: 30) { time in time < 10 ? [person(20)] : [] }.run()
        #expect(samples.contains { abs($0.pan - 15) < 5 })
        let last = try #require(samples.last)
        #expect(last.controls["pan_absolute"] == 0)
        #expect(last.controls["tilt_absolute"] == 0)
        #expect(last.controls["zoom_absolute"] == 100)
    }

    @Test("a poster isn't followed forever")
    func poster() throws {
        let samples = try SimulatedTurret(seconds: 120) { _ in
            var poster = person(20)
            poster.activity = 0
            return [poster]
        }.run()
        #expect(samples.filter { $0.time > 60 }.allSatisfy { $0.controls["pan_absolute"] == 0 })
    }

    @Test("the zoom brings a distant person closer within its limit, and shows more of a near one")
    func zoom() throws {
        let samples = try SimulatedTurret(seconds: 60) { time in [person(5, height: time < 30 ? 3 : 9)] }
            .run()
        let zooms = samples.map { $0.controls["zoom_absolute"] ?? 0 }
        #expect(zooms.max() == 150)
        #expect(zooms.last == 100)
        // Once for each size of the person, and not to and fro.
        let changes = zip(zooms, zooms.dropFirst()).filter { $0.0 != $0.1 }.map { $0.1 > $0.0 }
        #expect(zip(changes, changes.dropFirst()).count { $0.0 != $0.1 } == 1)
    }

    @Test(
        "a camera with coarse steps, and one that reaches its limit, only receive valid values and come to rest"
    )
    func steps() throws {
        var scene = SimulatedTurret(seconds: 40) { _ in [person(26, elevation: 10)] }
        scene.step = 3600 * 3
        scene.range = 3600 * 15
        let samples = try scene.run()
        let last = try #require(samples.last)
        #expect(last.controls["pan_absolute"] == 54_000)
        #expect(!samples.contains { $0.time > 20 && $0.controls != last.controls })
    }

    @Test("the camera turns no faster than the limit")
    func speed() throws {
        let samples = try SimulatedTurret(slew: 1000) { _ in [person(25)] }.run()
        let speeds = zip(samples, samples.dropFirst(10)).map {
            abs($0.1.pan - $0.0.pan) / ($0.1.time - $0.0.time)
        }
        // Half a height of the picture per second on average, with smooth ends.
        #expect((speeds.max() ?? 100) < 0.5 * 34 * 1.6)
    }

    @Test("a camera without writable controls for pan and tilt can't be turned")
    func impossible() {
        var controls = SimulatedTurret { _ in [] }.controls
        #expect(CameraAim.isPossible(with: controls))
        controls[1] = DeviceControl(
            name: "tilt_absolute", value: 0, minimum: -10, maximum: 10, defaultValue: 0, isReadOnly: true)
        #expect(!CameraAim.isPossible(with: controls))
        #expect(
            CameraAim(
                controls, mode: .people, frame: FrameSize(width: 1920, height: 1080), rotation: .none,
                maxZoom: 2)
                == nil)
    }
}

/// A camera that turns, with people around it. Five frames per second are analyzed, and an analysis arrives 0.25 s after the
/// capture.
struct SimulatedTurret {
    /// A person in degrees: positive angles are to the right and up.
    struct Person {
        var id: Int
        var azimuth: Double
        var elevation: Double
        /// Height of the face.
        var height: Double
        var activity = 0.3
    }

    struct Sample {
        var time: Double
        /// Direction of the camera in degrees, in its upright picture.
        var pan: Double
        var controls: [String: Int64]
        /// Centers of the visible faces in the upright picture, as fractions of it.
        var faces: [(x: Double, y: Double)]
    }

    var seconds = 20.0
    /// Angle of view of the longer side without zoom, in degrees.
    var view = 60.0
    var rotation = Rotation.none
    /// Fastest turn in degrees per second.
    var slew = 60.0
    /// Step and largest value of pan and tilt.
    var step: Int64 = 360
    var range: Int64 = 3600 * 100
    var people: (Double) -> [Person]

    var controls: [DeviceControl] {
        ["pan_absolute", "tilt_absolute"].map {
            DeviceControl(name: $0, value: 0, minimum: -range, maximum: range, step: step, defaultValue: 0)
        } + [DeviceControl(name: "zoom_absolute", value: 100, minimum: 100, maximum: 400, defaultValue: 100)]
    }

    /// Returns the state of the camera every 20 ms.
    func run() throws -> [Sample] {
        var aim = try #require(
            CameraAim(
                controls, mode: .people, frame: FrameSize(width: 1920, height: 1080), rotation: rotation,
                maxZoom: 1.5))
        var values = controls.reduce(into: [:]) { $0[$1.name] = $1.value }
        // The camera's axes in degrees.
        var (pan, tilt, zoom) = (0.0, 0.0, 1.0)
        var analyses: [(captured: Double, faces: [DetectedFace])] = []
        var samples: [Sample] = []
        for index in 0..<Int(seconds * 50) {
            let time = Double(index) / 50
            func moved(_ from: Double, to name: String) -> Double {
                let wanted = Double(values[name] ?? 0) / 3600
                return from + min(max(wanted - from, -slew / 50), slew / 50)
            }
            (pan, tilt) = (moved(pan, to: "pan_absolute"), moved(tilt, to: "tilt_absolute"))
            zoom = Double(values["zoom_absolute"] ?? 100) / 100
            let (right, up): (Double, Double) =
                switch rotation {
                case .none: (pan, tilt)
                case .quarter: (tilt, -pan)
                case .half: (-pan, -tilt)
                case .threeQuarters: (-tilt, pan)
                }
            let (long, short) = (view / zoom, view / zoom * 9 / 16)
            let (width, height) = rotation.swapsSides ? (short, long) : (long, short)
            let visible = people(time).map { person in
                (
                    person: person, x: 0.5 + (person.azimuth - right) / width,
                    y: 0.5 - (person.elevation - up) / height, height: person.height / height,
                    width: person.height * 0.9 / width
                )
            }.filter { (0...1).contains($0.x) && (0...1).contains($0.y) }
            samples.append(
                Sample(time: time, pan: right, controls: values, faces: visible.map { ($0.x, $0.y) }))
            if index.isMultiple(of: 10) {
                analyses.append(
                    (
                        time,
                        visible.compactMap { face in
                            FramePart(
                                x: face.x - face.width / 2, y: face.y - face.height / 2, width: face.width,
                                height: face.height
                            ).map {
                                DetectedFace(
                                    id: face.person.id, box: $0, confidence: 0.9,
                                    activity: face.person.activity)
                            }
                        }
                    ))
            }
            if let next = analyses.first, next.captured + 0.25 <= time {
                analyses.removeFirst()
                aim.update(next.faces, capturedAt: Self.clock(next.captured), now: Self.clock(time))
            }
            guard index.isMultiple(of: 5) else { continue }
            for request in aim.step(at: Self.clock(time)) {
                let control = try #require(controls.first { $0.name == request.name })
                #expect(control.nearest(to: request.value) == request.value)
                values[request.name] = request.value
            }
        }
        return samples
    }

    private static func clock(_ seconds: Double) -> ClockTime {
        ClockTime(nanoseconds: 1_000_000_000 + Int64(rounding: seconds * 1e9))
    }
}

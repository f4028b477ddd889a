import MulticamMedia
import MulticamPlan
import MulticamProfiles
import Testing

@Suite("Plans with cameras rotated by the orientation sensor")
struct SensorPlanTests {
    private static let text = """
        cameras: { a: { rotation: sensor, rate: 30 } }
        microphones: { m: }
        program: { main: a, layout: single, audio: { mix: [m] } }
        tracks: { cameras: copy, microphones: wav, metadata: ndjson }
        """

    private static func plan(_ device: CaptureDevice, _ turn: MachineOrientation?) throws(ProfileError)
        -> SessionPlan
    {
        var camera = PlannedDevice(selector: "any", device: device)
        camera.turn = turn
        return try SessionPlan(
            profile: SessionPlanTests.profile(text),
            devices: ["a": camera, "m": SessionPlanTests.microphone()])
    }

    private static func refusal(_ device: CaptureDevice, _ turn: MachineOrientation?) throws -> ProfileError {
        do throws(ProfileError) {
            _ = try plan(device, turn)
        } catch {
            return error
        }
        throw NoRefusal()
    }

    private struct NoRefusal: Error {}

    @Test(
        "the angle combines mounting and turn: back cameras follow the turn, front cameras oppose it",
        arguments: [
            (CaptureDevice.Position.back, Rotation.none, Rotation.quarter), (.back, .quarter, .half),
            (.back, .threeQuarters, .none), (.front, .quarter, .none), (.front, .threeQuarters, .half),
        ])
    func angle(position: CaptureDevice.Position, turn: Rotation, expected: Rotation) throws {
        let device = CameraMountingTests.device(.builtIn, position, mounting: .quarter)
        let plan = try Self.plan(device, .rotated(turn))
        #expect(plan.cameras[0].rotation == expected && plan.cameras[0].rotationSource == .sensor)
        #expect(plan.cameraTracks[0].rotation == expected)
        #expect(plan.program?.layers[0].rotation == expected)
        #expect(plan.previews.map(\.isMirrored) == [position == .front])
        #expect(plan.previews.map(\.rotation) == [expected])
        #expect(!plan.notes.contains { $0.contains("upright orientation") })
    }

    @Test(
        "a flat computer counts as upright, which is noted, and so is a camera with an unknown position")
    func told() throws {
        let flat = try Self.plan(CameraMountingTests.device(.builtIn, .unspecified), .undecided)
        #expect(flat.cameras[0].rotation == .none)
        #expect(flat.notes.contains { $0.contains("is lying flat") })
        #expect(flat.notes.contains { $0.hasSuffix("so a front camera is assumed.") })
        let synthetic = try Self.plan(
            CameraMountingTests.device(.virtual, .unspecified, mounting: .half), nil)
        #expect(synthetic.cameras[0].rotation == .half && synthetic.cameras[0].rotationSource == .mounting)
        #expect(synthetic.notes.contains { $0.contains("does not rotate with the computer") })
    }

    @Test("an external camera, and a computer without a sensor, are refused at the field, with the reason")
    func refused() throws {
        let external = try Self.refusal(CameraMountingTests.device(.external, .front), .rotated(.none))
        #expect(external.field == "cameras.a.rotation" && external.line == 1 && external.column == 27)
        #expect(external.description.contains("is not marked as built in") && !external.isMissingDevice)
        let blind = try Self.refusal(
            CameraMountingTests.device(.builtIn, .front), .unknown("no accelerometer was found"))
        #expect(
            blind.description
                == "test.yaml:1:27: cameras.a.rotation: found sensor, expected 0, 90, 180, or 270, because no accelerometer was found."
        )
        #expect(blind.isMissingDevice)
    }

    @Test("files are rotated by a matrix, the program by pixels; audio and metadata are not rotated")
    func connections() throws {
        let plan = try Self.plan(CameraMountingTests.device(.builtIn, .back), .rotated(.quarter))
        func connection(_ input: String, _ output: String) -> PlannedConnection {
            PlannedConnection(input: input, output: output)
        }
        let file = try #require(plan.orientation(of: connection("a", "cameras/a")))
        #expect(file.method == .matrix && file.rotation == .quarter && !file.isChangeable)
        let program = try #require(plan.orientation(of: connection("a", "program")))
        #expect(program.method == .pixels && program.rotation == .quarter && program.isChangeable)
        #expect(plan.supportedRotations(of: connection("a", "program")) == Rotation.allCases)
        for silent in [
            connection("m", "program"), connection("m", "audio/m"), connection("a", "metadata/a"),
            connection("a", "cameras/b"),
        ] {
            #expect(plan.supportedRotations(of: silent).isEmpty, "\(silent)")
        }
    }
}

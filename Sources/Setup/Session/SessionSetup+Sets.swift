internal import Capture
internal import Media
public import Plan
internal import Profiles
internal import VirtualDevices

extension SessionSetup {
    /// Which cameras can run together. Nothing is opened but to ask what it is.
    ///
    /// - Parameters:
    ///   - request: Whose profile's cameras are meant; `nil` for all that are connected.
    ///   - machine: That they are to run on: `ThisMachine(output:).model`.
    /// - Returns: The sets, and what a person should know of the choice: one sentence each.
    /// - Throws: What is wrong with the profile or a selector, or which device is missing or busy.
    public static func sets(
        _ request: SetupRequest?, on machine: MachineModel
    ) throws(SetupError) -> (sets: CameraSets, notes: [String]) {
        guard let request else { return connectedSets(on: machine) }
        let profile = try profile(of: request)
        // Microphones take next to nothing, and need not be there.
        let cameras = Profile(name: profile.name, cameras: profile.cameras, choice: profile.choice)
        let wantsReal = profile.cameras.contains { !VirtualSources.handles($0.device) }
        let (memory, warning) = (wantsReal ? DeviceMemory.file?.read() : nil) ?? (DeviceMemory(), nil)
        let choices = (wantsReal ? ChoiceMemory.file?.read().content : nil) ?? ChoiceMemory()
        let resolver = try DeviceResolver(
            for: cameras, memory: memory, choices: choices, of: request.application)
        let found = profile.cameras.compactMap { camera in
            resolver.devices[camera.role].map {
                SetCamera(
                    name: camera.role, device: $0, pixel: PixelFormat(rawValue: camera.format.rawValue),
                    least: profile.budget)
            }
        }
        return (
            CameraSets(of: found, on: machine, limit: profile.budget.hardwareCost),
            [warning].compactMap { $0 } + tooMany(found.count) + resolver.notes
        )
    }

    private static func connectedSets(on machine: MachineModel) -> (sets: CameraSets, notes: [String]) {
        // One node for each camera; what is in use keeps what it keeps.
        let present = CameraCatalog().locatedCameras().map(\.device)
        var notes: [String] = []
        let usable = present.filter { camera in
            switch camera.problem {
            case nil: return true
            case .inUse:
                notes.append(
                    "\(camera.name) (\(camera.node)) is in use, so it is left out; what it keeps counts.")
            case .noPermission, .failing:
                notes.append("\(camera.name) (\(camera.node)) cannot be used; `multicam doctor` says why.")
            }
            return false
        }
        notes += tooMany(usable.count)
        let cameras = usable.map {
            SetCamera(name: $0.node, device: PlannedDevice(selector: $0.selector, device: $0))
        }
        return (CameraSets(of: cameras, on: machine), notes)
    }

    private static func tooMany(_ count: Int) -> [String] {
        count > CameraSets.mostCameras
            ? ["only the first \(CameraSets.mostCameras) of \(count) cameras are reckoned with."] : []
    }
}

internal import Capture
internal import Media
public import Plan
internal import Profiles
internal import VirtualDevices

extension SessionSetup {
    /// Computes which cameras can run together. Opens a device only to query it.
    ///
    /// - Parameters:
    ///   - request: The request whose profile's cameras count; `nil` for all connected ones.
    ///   - machine: The computer to run on: `ThisMachine(output:).model`.
    /// - Returns: The sets, and notes for the user, one sentence each.
    /// - Throws: `SetupError` when the profile or a selector is invalid, or a device is missing or busy.
    public static func sets(
        _ request: SetupRequest?, on machine: MachineModel
    ) throws(SetupError) -> (sets: CameraSets, notes: [String]) {
        guard let request else { return connectedSets(on: machine) }
        let profile = try profile(of: request)
        // Microphones are left out: they cost next to nothing, and need not be connected.
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
        // One node for each camera; the bandwidth of cameras in use counts as taken.
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

internal import Media
internal import Plan
internal import Profiles

extension Profile {
    /// The profile with the values of its cameras' presets filled in; the profile's own `controls` override them.
    ///
    /// - Parameters:
    ///   - kept: The stored presets of all cameras.
    ///   - devices: The devices by role.
    ///   - present: All connected cameras.
    /// - Returns: A profile that no longer depends on this user's stored presets.
    /// - Throws: `ProfileError` when a role's camera has no preset of the name.
    func withPresets(
        from kept: ControlPresets, devices: [String: PlannedDevice], present: [CaptureDevice]
    ) throws(ProfileError) -> Profile {
        var profile = self
        for (index, camera) in cameras.enumerated() {
            guard let name = camera.preset, let device = devices[camera.role]?.device else { continue }
            let presets = kept.presets(of: device, among: present.isEmpty ? [device] : present)
            guard let preset = presets.first(where: { $0.name == name }) else {
                throw source.error(
                    at: "cameras.\(camera.role).preset",
                    found: "“\(name)”, under which nothing is kept of \(device.name)",
                    expected: presets.isEmpty
                        ? "none: keep one with `multicam controls \(device.selector.shellQuoted()) --save NAME`"
                        : "one of \(presets.map(\.name).joined(separator: ", "))")
            }
            let own = Set(camera.controls.map(\.name))
            let added = preset.values.filter { !own.contains($0.control) }
            profile.cameras[index].controls =
                added.map { ControlSetting(name: $0.control, value: .number($0.value), origin: .preset) }
                + camera.controls
        }
        return profile
    }
}

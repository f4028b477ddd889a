internal import MulticamCapture
internal import MulticamMedia

/// The results of all checks of `multicam doctor` on this computer.
package struct DoctorReport: Sendable {
    /// The findings, grouped by check, in the order of the checks.
    package let findings: [Finding]

    /// Runs all checks. Reads data from the kernel and the sound server, and changes nothing. Takes up to a
    /// few seconds if the sound server doesn't respond; don't call this from a Swift task.
    ///
    /// - Parameters:
    ///   - output: The output folder for recordings, which doesn't need to exist.
    ///   - profileError: The error in the profile as a sentence; `nil` if the profile is valid.
    ///   - nodes: Device nodes of the virtual cameras in a profile's live outputs.
    ///   - needsCamera: Whether the profile uses a camera of this computer.
    ///   - needsMicrophone: Whether the profile uses a microphone of this computer.
    package init(
        output: String, profileError: String? = nil, publishingTo nodes: [String] = [],
        needsCamera: Bool = true,
        needsMicrophone: Bool = true
    ) {
        var machine = Machine(output: output)
        (machine.needsCamera, machine.needsMicrophone) = (needsCamera, needsMicrophone)
        machine.publishedNodes = nodes
        machine.profileError = profileError
        self.init(of: machine)
    }

    init(of machine: Machine) {
        let checks: [(Machine) -> [Finding]] = [
            CameraCheck.findings, CameraDriverCheck.findings, VirtualCameraCheck.findings,
            USBSpeedCheck.findings,
            USBBandwidthCheck.findings, USBPowerCheck.findings, SoundServerCheck.findings,
            MicrophoneCheck.findings, StorageCheck.findings, FolderCheck.findings, ProcessorCheck.findings,
            EncoderCheck.findings,
            LimitsCheck.findings, SystemCheck.findings, KernelLogCheck.findings,
        ]
        findings =
            (machine.profileError.map { [Finding("profile.valid", .problem, $0)] } ?? [])
            + checks.flatMap { $0(machine) }
    }

    /// Whether the computer is free of problems that would make recordings fail.
    package var isHealthy: Bool { !findings.contains { $0.level == .problem } }
}

/// The result of one check, with a command that fixes the problem.
package struct Finding: Sendable, Hashable {
    /// The severity of a finding.
    package enum Level: String, Sendable, CaseIterable {
        /// The check passed.
        case ok
        /// Recordings work, but parts of them may fail or could be improved.
        case warning
        /// Recordings will fail, or lose frames or audio.
        case problem
        /// The check couldn't be performed. `text` contains the reason.
        case unknown
    }

    /// Name of the check, such as `usb.autosuspend`. The part before the period is its group.
    package let check: String
    /// The severity of the finding.
    package let level: Level
    /// The device node, USB device, sound source, or folder; `nil` if the finding concerns the whole computer.
    package let device: String?
    /// The finding as a sentence of at most 1000 printable characters.
    package let text: String
    /// A POSIX shell command that fixes the problem; `nil` if none exists.
    package let repairCommand: String?

    /// Creates a finding. Control characters in its texts are replaced.
    package init(
        _ check: String, _ level: Level, device: String? = nil, _ text: String, repairCommand: String? = nil
    ) {
        self.check = check
        self.level = level
        self.device = device?.printable()
        self.text = text.printable(limit: 1000)
        self.repairCommand = repairCommand?.printable(limit: 1000)
    }

    /// The group of the check, such as `usb` for `usb.autosuspend`.
    package var group: String { String(check.prefix { $0 != "." }) }
}

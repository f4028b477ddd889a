internal import Capture
internal import Encoding
internal import Media
internal import Plan
internal import VirtualDevices

extension SessionSetup {
    /// Opens the microphones of a plan. A microphone of several roles is captured once when all take the same channels.
    static func openMicrophones(
        _ plan: SessionPlan, _ resolver: DeviceResolver
    ) throws(SetupError) -> [String: any MicrophoneSource] {
        struct Capture: Hashable {
            let source: String
            let format: AudioFormat
        }
        func capture(_ planned: PlannedMicrophone) -> Capture? {
            resolver.pulseSources[planned.role].map { Capture(source: $0.name, format: planned.format) }
        }
        let roles = Dictionary(grouping: plan.microphones.compactMap(capture)) { $0 }.mapValues(\.count)
        var shared: [Capture: SharedMicrophone] = [:]
        var microphones: [String: any MicrophoneSource] = [:]
        for planned in plan.microphones {
            guard let capture = capture(planned), let count = roles[capture], count > 1 else {
                microphones[planned.role] = try open(planned, resolver)
                continue
            }
            if shared[capture] == nil {
                shared[capture] = SharedMicrophone(try open(planned, resolver), roleCount: count)
            }
            microphones[planned.role] = shared[capture]?.part
        }
        return microphones
    }

    /// Opens the processed voice of a microphone whose role wants one.
    ///
    /// - Returns: The voice, and the name of the output whose playback is removed from it; `nil` when no voice is wanted.
    /// - Throws: `SetupError` when the sound server cannot make the voice.
    static func openVoice(
        of planned: PlannedMicrophone, _ resolver: DeviceResolver
    ) throws(SetupError) -> (voice: any MicrophoneSource, output: String?)? {
        guard let wanted = planned.voice, let source = resolver.pulseSources[planned.role] else { return nil }
        let voice: PulseVoice
        do throws(DeviceError) {
            voice = try PulseVoice(of: source, role: planned.role, wanted, pick: planned.pick)
        } catch {
            throw .device(error)
        }
        do throws(EncodingError) {
            return (try AlignedVoice(voice, of: voice.heard, pick: planned.pick), voice.outputName)
        } catch {
            throw .device(
                DeviceError(
                    device: source.selector, operation: "take out echo and noise",
                    reason: .other(error.description)))
        }
    }

    static func open(
        _ planned: PlannedMicrophone, _ resolver: DeviceResolver
    ) throws(SetupError) -> any MicrophoneSource {
        if let own = resolver.own.microphones[planned.role] { return own }
        if VirtualSources.handles(planned.selector) {
            do throws(VirtualDeviceError) {
                return try VirtualSources.microphone(selector: planned.selector, role: planned.role)
            } catch {
                throw SetupError(error)
            }
        }
        guard let source = resolver.pulseSources[planned.role] else {
            preconditionFailure("the plan has a microphone `\(planned.role)` that was not looked for")
        }
        do throws(DeviceError) {
            return try PulseMicrophone(source: source, channels: planned.format.channels)
        } catch {
            throw .device(error)
        }
    }
}

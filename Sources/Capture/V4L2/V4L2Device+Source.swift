internal import CLinux
internal import FileSystem
import Media

/// The source at the input of a capture stick, which may change or be lost. Webcams have none.
extension V4L2Device {
    /// Asks to be told when the source changes, and takes over its timings where the input has them (HDMI).
    ///
    /// Drivers that know neither refuse, and nothing is different: a source without a signal shows when it is opened.
    func followSource() {
        var subscription = v4l2_event_subscription()
        subscription.type = UInt32(V4L2_EVENT_SOURCE_CHANGE)
        guard answers(linux_VIDIOC_SUBSCRIBE_EVENT, &subscription) else { return }
        linux_follow_timings(descriptor.number)
    }

    /// Whether the chosen input takes timings or a television standard, so that its frames come from another device.
    func hasSignalInput() -> Bool {
        guard let input = input() else { return false }
        return input.capabilities & (UInt32(V4L2_IN_CAP_DV_TIMINGS) | UInt32(V4L2_IN_CAP_STD)) != 0
            || input.std != 0
    }

    /// The chosen input; `nil` for drivers that have none.
    private func input() -> v4l2_input? {
        var index: Int32 = 0
        guard answers(linux_VIDIOC_G_INPUT, &index) else { return nil }
        var input = v4l2_input()
        input.index = UInt32(bitPattern: index)
        return answers(linux_VIDIOC_ENUMINPUT, &input) ? input : nil
    }

    /// Checks that the input has a signal. Webcams have no such status and always pass.
    ///
    /// - Throws: `DeviceError` with `noSignal` when the driver reports no signal.
    func requireSignal() throws(DeviceError) {
        guard let input = input() else { return }
        let nothing =
            UInt32(V4L2_IN_ST_NO_POWER) | UInt32(V4L2_IN_ST_NO_SIGNAL) | UInt32(V4L2_IN_ST_NO_H_LOCK)
            | UInt32(V4L2_IN_ST_NO_SYNC)
        guard input.status & nothing == 0 else {
            throw DeviceError(device: path, operation: "look at the input", reason: .noSignal)
        }
    }

    /// Takes the driver's events, for which `poll` reports POLLPRI.
    ///
    /// - Returns: Whether the source has changed, so that frames may come in another size or not at all.
    func takeSourceChange() -> Bool {
        var hasChanged = false
        var event = v4l2_event()
        // As many as a driver may keep for a handle, and a few more.
        for _ in 0..<64 {
            guard answers(linux_VIDIOC_DQEVENT, &event) else { break }
            hasChanged = hasChanged || event.type == UInt32(V4L2_EVENT_SOURCE_CHANGE)
        }
        return hasChanged
    }
}

internal import CLinux
internal import Descriptors
import Media

/// What capture sticks have and webcams lack: a source at their input that may change or be lost.
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

    /// Whether the input that is chosen takes timings or a television standard: what comes there is another device's frame.
    func hasSignalInput() -> Bool {
        guard let input = input() else { return false }
        return input.capabilities & (UInt32(V4L2_IN_CAP_DV_TIMINGS) | UInt32(V4L2_IN_CAP_STD)) != 0
            || input.std != 0
    }

    /// The input that is chosen; `nil` for drivers that know none.
    private func input() -> v4l2_input? {
        var index: Int32 = 0
        guard answers(linux_VIDIOC_G_INPUT, &index) else { return nil }
        var input = v4l2_input()
        input.index = UInt32(bitPattern: index)
        return answers(linux_VIDIOC_ENUMINPUT, &input) ? input : nil
    }

    /// - Throws: `noSignal` when the driver says that the input has none. Webcams have no such status.
    func requireSignal() throws(DeviceError) {
        guard let input = input() else { return }
        let nothing =
            UInt32(V4L2_IN_ST_NO_POWER) | UInt32(V4L2_IN_ST_NO_SIGNAL) | UInt32(V4L2_IN_ST_NO_H_LOCK)
            | UInt32(V4L2_IN_ST_NO_SYNC)
        guard input.status & nothing == 0 else {
            throw DeviceError(device: path, operation: "look at the input", reason: .noSignal)
        }
    }

    /// Takes the driver's events. They are what makes `poll` say POLLPRI.
    ///
    /// - Returns: Whether the source has changed, so that what comes may be of another size or nothing at all.
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

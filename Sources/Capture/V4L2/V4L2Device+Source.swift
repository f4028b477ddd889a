internal import CLinux
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

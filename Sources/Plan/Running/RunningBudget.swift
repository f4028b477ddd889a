package import Media

/// The machine that a running session was planned for, on which its changes are priced. Pure.
package struct RunningBudget: Sendable, Equatable {
    /// The machine as it was measured when the session was planned.
    package var machine: MachineModel
    /// The length of the recording; `nil` leaves the room on the disk out of account.
    let duration: Nanoseconds?

    /// Creates the budget of a session that was planned for a machine.
    package init(machine: MachineModel, duration: Nanoseconds?) {
        self.machine = machine
        self.duration = duration
    }

    /// Takes over where cameras are connected that came after the session was planned.
    package mutating func learn(_ usb: USBTopology) {
        machine.usb.cameras += usb.cameras.filter { machine.usb.camera($0.identity) == nil }
    }

    func cost(of plan: SessionPlan) -> HardwareCost {
        HardwareCost(of: plan, on: machine, duration: duration)
    }
}

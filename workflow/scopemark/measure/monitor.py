"""The state of the card while it is measured: read through NVML, never changed."""

from __future__ import annotations

from typing import Any

_REASONS = {
    "nvmlClocksEventReasonSwPowerCap": "power cap",
    "nvmlClocksEventReasonSwThermalSlowdown": "thermal (software)",
    "nvmlClocksThrottleReasonHwSlowdown": "hardware slowdown",
    "nvmlClocksThrottleReasonHwThermalSlowdown": "thermal (hardware)",
    "nvmlClocksThrottleReasonHwPowerBrakeSlowdown": "power brake",
    "nvmlClocksEventReasonSyncBoost": "sync boost",
}


class Monitor:
    """One GPU's sensors; for the CPU, or where NVML will not tell, it reports nothing."""

    def __init__(self, uuid: str):
        self._handle = None
        self.highest_clock_hz: float | None = None
        if not uuid:
            return
        try:
            import pynvml

            self._nvml = pynvml
            pynvml.nvmlInit()
            self._handle = pynvml.nvmlDeviceGetHandleByUUID(uuid)
            self.highest_clock_hz = pynvml.nvmlDeviceGetMaxClockInfo(self._handle, pynvml.NVML_CLOCK_SM) * 1e6
        except Exception:
            self._handle = None

    def read(self) -> dict[str, Any]:
        """throttle: the reasons now in force. temperature: in degrees Celsius. Absent where NVML does not say."""
        if self._handle is None:
            return {}
        state: dict[str, Any] = {}
        try:
            active = self._nvml.nvmlDeviceGetCurrentClocksEventReasons(self._handle)
            state["throttle"] = [text for name, text in _REASONS.items() if active & getattr(self._nvml, name, 0)]
            state["temperature"] = self._nvml.nvmlDeviceGetTemperature(self._handle, self._nvml.NVML_TEMPERATURE_GPU)
        except self._nvml.NVMLError:
            pass
        return state

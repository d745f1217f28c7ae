"""Selection as scikit-learn estimators.

scikit-learn is imported here; `protospot` imports this package only when one of its names is used.
"""

from protospot.estimators.classifier import NearestPrototypeClassifier
from protospot.estimators.sampler import PrototypeSampler
from protospot.estimators.selector import PrototypeSelector

__all__ = ["NearestPrototypeClassifier", "PrototypeSampler", "PrototypeSelector"]
